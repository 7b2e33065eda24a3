@testable import PopupScheduling
import Testing

/// The tree of the levels of one queue, alone.
@Suite struct PriorityTreeTests {
    private static let priorities: ClosedRange<Int32> = -20...20

    // With a single weight the tree is a list; with few ones, levels of the same weight are joined.
    @Test(arguments: [1, 3, 1 << 20])
    func `every level is found, or the neighbours of one that is missing, after each of many changes`(_ weights: Int) {
        var random = ReferenceGenerator(seed: UInt64(weights))
        var tree = Tree()
        for _ in 0..<400 {
            let priority = Self.priorities.lowerBound + Int32(random.below(Self.priorities.count))
            if tree.byPriority[priority] == nil {
                tree.add(priority, weight: UInt32(random.below(weights)))
            } else {
                tree.remove(priority)
            }
            let sorted = tree.byPriority.keys.sorted()
            let (inOrder, ends) = (tree.inOrder, tree.ends)
            #expect(inOrder == sorted)
            #expect(ends == [sorted.first, sorted.last])
            for priority in Self.priorities {
                let found = tree.found(priority)
                if sorted.contains(priority) {
                    #expect(found[0] == priority)
                } else {
                    #expect(found == [nil, sorted.first { $0 > priority }, sorted.last { $0 < priority }])
                }
            }
        }
    }

    @Test func `no level is above one of more weight`() {
        var random = ReferenceGenerator(seed: 5)
        var tree = Tree()
        for priority in Self.priorities { tree.add(priority, weight: UInt32(random.below(100))) }
        var wereHeaps = [tree.isHeap]
        for priority in Self.priorities where random.below(2) == 0 {
            tree.remove(priority)
            wereHeaps.append(tree.isHeap)
        }
        #expect(wereHeaps.allSatisfy { $0 })
    }

    private struct Tree: ~Copyable {
        private var levels = Slab<PriorityLevel>()
        private var root: PriorityLevel.Index?
        private(set) var byPriority: [Int32: PriorityLevel.Index] = [:]

        mutating func add(_ priority: Int32, weight: UInt32) {
            let level = levels.insert(PriorityLevel(priority: priority, weight: weight))
            root = levels.add(level, to: root)
            byPriority[priority] = level
        }

        mutating func remove(_ priority: Int32) {
            guard let level = byPriority.removeValue(forKey: priority) else { return }
            root = levels.takeOut(level, of: root)
            levels.remove(level)
        }

        var inOrder: [Int32] { inOrder(root) }

        private func inOrder(_ level: PriorityLevel.Index?) -> [Int32] {
            guard let level else { return [] }
            return inOrder(levels[level].left) + [levels[level].priority] + inOrder(levels[level].right)
        }

        /// The lowest and the highest priority.
        var ends: [Int32?] {
            [levels.lowest(in: root).map { levels[$0].priority }, levels.highest(in: root).map { levels[$0].priority }]
        }

        /// The priorities of the level that is found and of its neighbours, the higher one first.
        func found(_ priority: Int32) -> [Int32?] {
            let (level, higher, lower) = levels.find(priority, in: root)
            return [level, higher, lower].map { $0.map { levels[$0].priority } }
        }

        var isHeap: Bool { isHeap(root) }

        private func isHeap(_ level: PriorityLevel.Index?) -> Bool {
            guard let level else { return true }
            return [levels[level].left, levels[level].right].allSatisfy { child in
                child.map { levels[$0].weight <= levels[level].weight } ?? true
            } && isHeap(levels[level].left) && isHeap(levels[level].right)
        }
    }
}
