/// The queue of a group: four bytes. Its levels are in `WaitQueues`.
struct WaitQueue: BitwiseCopyable {
    /// The root of the tree of its levels.
    @Packed fileprivate var root: PriorityLevel.Index?

    init() {}

    var isEmpty: Bool { root == nil }
}

/// The popups of one priority in a queue: 32 bytes.
struct PriorityLevel: BitwiseCopyable {
    typealias Index = TableIndex<PriorityLevel>

    let priority: Int32
    fileprivate var popups = List<LevelMembers>()
    // The neighbouring levels of the queue.
    @Packed fileprivate var higher: Index?
    @Packed fileprivate var lower: Index?
    // Its links in the tree: lower priorities are on the left, higher ones on the right, and no child has more weight.
    @Packed var left: Index?
    @Packed var right: Index?
    let weight: UInt32

    init(priority: Int32, weight: UInt32) {
        self.priority = priority
        self.weight = weight
    }
}

/// The queues of all groups, except the popups in `CandidateTrees`: levels in descending order of priority, and on each
/// level the popups of that priority by rank. Paused popups have negative ranks, the one paused last the lowest, so
/// they come first. The rank of a waiting popup is the number of its acceptance.
///
///     highest level   9:  P(-7) ─ P(-3) ─ W(12) ─ W(15)
///                    │
///                    2:  W(4)
///                    │
///     lowest level    0:  W(8) ─ W(9)
///
/// Removing the first popup and adding the last one of a priority take O(log d), where d is the number of different
/// priorities in the queue (see `PriorityTree.swift`). The position within a priority is searched from both ends, and
/// not far: a popup that belongs further inside has no place here.
struct WaitQueues: ~Copyable {
    private var levels = Slab<PriorityLevel>()
    private let seed: UInt64

    /// Creates empty queues. The seed determines only the shape of their trees.
    init(seed: UInt64) {
        self.seed = seed
    }

    /// The number of popups from both ends of a level within which the position of another one is searched.
    static var longestSearch: Int { 32 }

    /// The number of levels of all queues.
    var levelCount: Int { levels.count }

    /// Adds a popup to a queue, at the position of its priority and rank. Returns `false` if this is too far from both
    /// ends of its level, and does not add the popup.
    @discardableResult
    mutating func insert(
        _ popup: PopupRecord.Index, priority: Int32, into queue: inout WaitQueue, _ popups: inout PopupTable
    ) -> Bool {
        let (found, higher, lower) = levels.find(priority, in: queue.root)
        let level = found ?? addLevel(priority, to: &queue, between: higher, and: lower)
        let rank = popups[popup].rank
        popups[popup].level = level
        var (first, last, passed) = (levels[level].popups.first, levels[level].popups.last, 0)
        // The position is usually at one of the ends, so the search goes from both.
        while let front = first, let back = last {
            if popups[front].rank > rank {
                popups.insert(popup, before: front, in: &levels[level].popups)
                return true
            }
            let behind = popups.next(after: back, LevelMembers.self)
            if popups[back].rank < rank {
                popups.insert(popup, before: behind, in: &levels[level].popups)
                return true
            }
            passed += 1
            if passed == Self.longestSearch {
                popups[popup].level = nil
                return false
            }
            first = popups.next(after: front, LevelMembers.self)
            last = popups.previous(before: back, LevelMembers.self)
        }
        popups.append(popup, to: &levels[level].popups)
        return true
    }

    /// Appends a popup to a queue. All others in the queue must precede it.
    mutating func append(
        _ popup: PopupRecord.Index, priority: Int32, to queue: inout WaitQueue, _ popups: inout PopupTable
    ) {
        let lowest = levels.lowest(in: queue.root)
        let same = lowest.flatMap { levels[$0].priority == priority ? $0 : nil }
        let level = same ?? addLevel(priority, to: &queue, between: lowest, and: nil)
        popups[popup].level = level
        popups.append(popup, to: &levels[level].popups)
    }

    /// Removes a popup from its queue. Returns whether it was on a level.
    @discardableResult
    mutating func remove(
        _ popup: PopupRecord.Index, from queue: inout WaitQueue, _ popups: inout PopupTable
    ) -> Bool {
        guard let level = popups[popup].level else { return false }
        popups.remove(popup, from: &levels[level].popups)
        popups[popup].level = nil
        if levels[level].popups.isEmpty { removeLevel(level, from: &queue) }
        return true
    }

    /// Returns the first popup of a queue.
    func first(of queue: WaitQueue) -> PopupRecord.Index? {
        guard let level = levels.highest(in: queue.root) else { return nil }
        return levels[level].popups.first
    }

    /// Returns the popup that follows another one in its queue.
    func next(after popup: PopupRecord.Index, _ popups: borrowing PopupTable) -> PopupRecord.Index? {
        popups.next(after: popup, LevelMembers.self) ?? first(below: popup, popups)
    }

    /// Returns the first popup of a lower level than that of another one.
    func first(below popup: PopupRecord.Index, _ popups: borrowing PopupTable) -> PopupRecord.Index? {
        guard let level = popups[popup].level, let lower = levels[level].lower else { return nil }
        return levels[lower].popups.first
    }

    /// Returns the last popup of a queue for which `holds` is true.
    func last(
        of queue: WaitQueue, _ popups: borrowing PopupTable, where holds: (PopupRecord.Index) -> Bool
    ) -> PopupRecord.Index? {
        var next = levels.lowest(in: queue.root)
        while let level = next {
            var last = levels[level].popups.last
            while let popup = last, !holds(popup) { last = popups.previous(before: popup, LevelMembers.self) }
            if last != nil { return last }
            next = levels[level].higher
        }
        return nil
    }

    /// Returns the popups of a queue in its order. O(n).
    func members(of queue: WaitQueue, _ popups: borrowing PopupTable) -> [PopupRecord.Index] {
        var members: [PopupRecord.Index] = []
        var next = first(of: queue)
        while let popup = next {
            members.append(popup)
            next = self.next(after: popup, popups)
        }
        return members
    }

    // MARK: - Levels

    private mutating func addLevel(
        _ priority: Int32, to queue: inout WaitQueue, between higher: PriorityLevel.Index?,
        and lower: PriorityLevel.Index?
    ) -> PriorityLevel.Index {
        // A priority always has the same weight. Without the seed no client can choose priorities that make the tree
        // deep.
        let weight = Generator(seed: seed ^ UInt64(UInt32(bitPattern: priority))).first
        let level = levels.insert(PriorityLevel(priority: priority, weight: weight))
        levels[level].higher = higher
        levels[level].lower = lower
        if let higher { levels[higher].lower = level }
        if let lower { levels[lower].higher = level }
        queue.root = levels.add(level, to: queue.root)
        return level
    }

    private mutating func removeLevel(_ level: PriorityLevel.Index, from queue: inout WaitQueue) {
        let (higher, lower) = (levels[level].higher, levels[level].lower)
        if let higher { levels[higher].lower = lower }
        if let lower { levels[lower].higher = higher }
        queue.root = levels.takeOut(level, of: queue.root)
        levels.remove(level)
    }

    // MARK: - Invariants

    /// Returns the broken invariants of a queue, whose popups should have these priorities, and counts its levels.
    func brokenInvariants(
        of queue: WaitQueue, _ popups: borrowing PopupTable, countingLevels count: inout Int,
        priority: (PopupRecord.Index) -> Int32
    ) -> [String] {
        var broken: [String] = []
        var (former, next) = (PriorityLevel.Index?.none, levels.highest(in: queue.root))
        while let level = next {
            count += 1
            let record = levels[level]
            if record.higher != former { broken.append("level \(record.priority) does not know the one above it") }
            if let former, levels[former].priority <= record.priority {
                broken.append("level \(record.priority) is below level \(levels[former].priority)")
            }
            if levels.find(record.priority, in: queue.root).level != level {
                broken.append("level \(record.priority) is not found")
            }
            if record.popups.isEmpty { broken.append("level \(record.priority) is empty") }
            broken += brokenInvariants(of: level, popups, priority: priority)
            (former, next) = (level, record.lower)
        }
        return broken
    }

    private func brokenInvariants(
        of level: PriorityLevel.Index, _ popups: borrowing PopupTable, priority: (PopupRecord.Index) -> Int32
    ) -> [String] {
        let (number, members) = (levels[level].priority, popups.members(of: levels[level].popups))
        var broken: [String] = []
        for popup in members {
            if popups[popup].level != level { broken.append("a popup of level \(number) does not know it") }
            let own = priority(popup)
            if own != number { broken.append("a popup of priority \(own) is on level \(number)") }
        }
        for (popup, next) in zip(members, members.dropFirst()) where popups[popup].rank >= popups[next].rank {
            broken.append("rank \(popups[popup].rank) is before \(popups[next].rank) on level \(number)")
        }
        return broken
    }
}
