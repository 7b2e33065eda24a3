/// A popup in the tree of its group's queue.
struct Candidate: BitwiseCopyable {
    typealias Index = TableIndex<Candidate>

    /// The caps by which showings of popups are counted: a search passes the popups of closed ones.
    struct Lanes: OptionSet, BitwiseCopyable {
        let rawValue: UInt32
        /// Waiting popups that only caps of the whole group count.
        static let ordinary = Lanes(rawValue: 1 << 30)
        /// Paused popups, which are resumed whatever the caps.
        static let paused = Lanes(rawValue: 1 << 31)
        static let all = Lanes(rawValue: .max)

        /// Returns the lane of waiting popups with the key of a cap, by its position in the policy. The caps that are
        /// more than there are lanes share the ordinary one.
        static func cap(_ position: Int) -> Lanes {
            position < 30 ? Lanes(rawValue: 1 << UInt32(position)) : .ordinary
        }
    }

    /// The summary of a subtree, by which a search passes it in one step.
    fileprivate struct Summary: BitwiseCopyable, Equatable {
        /// The lowest rank of its open popups.
        var firstOpen = Int64.max
        /// The highest own priority of its open popups.
        var highestOpen = Int64.min
        /// The lanes of its open popups.
        var openLanes = Lanes()
        /// The highest rank of its waiting popups.
        var lastWaiting = Int64.min

        mutating func add(_ other: Summary) {
            firstOpen = min(firstOpen, other.firstOpen)
            highestOpen = max(highestOpen, other.highestOpen)
            openLanes.formUnion(other.openLanes)
            lastWaiting = max(lastWaiting, other.lastWaiting)
        }
    }

    let popup: PopupRecord.Index
    let group: GroupRecord.Index
    let standing: Standing
    let rank: Int64
    /// Its own priority, with which suspensions and quiet windows are compared.
    let priority: Int32
    let isWaiting: Bool
    let lane: Lanes
    /// Whether its page, its session, its retry and its requirement allow that it is shown.
    fileprivate(set) var isOpen: Bool
    fileprivate var weight: UInt32 = 0
    @Packed fileprivate var parent: Index?
    @Packed fileprivate var left: Index?
    @Packed fileprivate var right: Index?
    fileprivate var subtree = Summary()

    init(_ popup: PopupRecord.Index, _ record: PopupRecord, _ standing: Standing, lane: Lanes, isOpen: Bool) {
        self.popup = popup
        group = record.group
        self.standing = standing
        rank = record.rank
        priority = record.priority
        isWaiting = record.isWaiting
        self.lane = lane
        self.isOpen = isOpen
    }

    /// The summary of the candidate alone.
    fileprivate var own: Summary {
        Summary(
            firstOpen: isOpen ? rank : .max, highestOpen: isOpen ? Int64(priority) : .min,
            openLanes: isOpen ? lane : [], lastWaiting: isWaiting ? rank : .min)
    }

    fileprivate func precedes(_ other: Candidate) -> Bool {
        standing != other.standing ? standing.precedes(other.standing) : rank < other.rank
    }
}

/// The parts of queues in which a popup is searched, not listed: where popups age, so that their order changes with the
/// time, and for popups with a condition (a page, a session, a retry, a requirement, a cap with their key), which may
/// not be shown while it does not hold. Popups whose place is far inside a level are here too.
///
/// The popups of a group are in a tree by their standing and rank: a treap (see `PriorityTree.swift`) in which each
/// popup knows the lowest rank of the open popups below it. Popups of equal priority are neighbours at any time, so the
/// first one is the one of the lowest rank in a range of the tree. Adding, removing, opening and closing a popup, and
/// finding the first open one, take O(log n) expected time, at any time and without moving a popup. A cap opens and
/// closes without a change of the tree: each popup knows the lanes of the open popups below it.
struct CandidateTrees: ~Copyable {
    private var records = Slab<Candidate>()
    /// The roots of the trees, by the number of their group.
    private var roots: [Packed<Candidate.Index>] = []
    private let seed: UInt64

    /// Creates empty trees. The seed determines only their shape.
    init(seed: UInt64) {
        self.seed = seed
    }

    /// The number of popups in all trees.
    var count: Int { records.count }

    /// Whether a group has no popups in its tree.
    func isEmpty(_ group: GroupRecord.Index) -> Bool { root(of: group) == nil }

    /// Adds a popup to the tree of its group.
    mutating func insert(_ candidate: Candidate, _ popups: inout PopupTable) {
        let index = records.insert(candidate)
        records[index].weight = Self.weight(ofRank: candidate.rank, seed: seed)
        popups[candidate.popup].candidate = index
        var (parent, next, isRight) = (Candidate.Index?.none, root(of: candidate.group), false)
        while let above = next {
            parent = above
            isRight = !candidate.precedes(records[above])
            next = isRight ? records[above].right : records[above].left
        }
        records[index].parent = parent
        if let parent {
            if isRight { records[parent].right = index } else { records[parent].left = index }
        } else {
            setRoot(index, of: candidate.group)
        }
        while let above = records[index].parent, records[above].weight < records[index].weight { raise(index) }
        summarize(from: index)
    }

    /// Returns the weight of a popup. Without the seed no client can choose ranks that make the tree deep.
    @inline(__always)
    static func weight(ofRank rank: Int64, seed: UInt64) -> UInt32 {
        Generator(seed: seed ^ UInt64(bitPattern: rank)).first
    }

    /// Removes a popup from the tree of its group.
    mutating func remove(_ index: Candidate.Index, _ popups: inout PopupTable) {
        while let left = records[index].left, let right = records[index].right {
            raise(records[left].weight >= records[right].weight ? left : right)
        }
        let (child, parent) = (records[index].left ?? records[index].right, records[index].parent)
        replace(index, by: child, under: parent)
        popups[records[index].popup].candidate = nil
        records.remove(index)
        summarize(from: parent)
    }

    /// Sets whether a popup is open.
    mutating func setOpen(_ isOpen: Bool, _ index: Candidate.Index) {
        guard records[index].isOpen != isOpen else { return }
        records[index].isOpen = isOpen
        summarize(from: index)
    }

    /// Calls `visit` for each popup of a group, in the order of standing and rank. O(n).
    func forEach(in group: GroupRecord.Index, _ visit: (PopupRecord.Index) -> Void) {
        var next = root(of: group).map { first(below: $0) }
        while let index = next {
            visit(records[index].popup)
            next = self.next(after: index)
        }
    }

    /// Returns the last waiting popup of a group at a time: of the lowest priority the one of the highest rank.
    func lastWaiting(in group: GroupRecord.Index, at time: AgingTime) -> PopupRecord.Index? {
        guard let root = root(of: group), records[root].subtree.lastWaiting > .min else { return nil }
        var last = root
        while true {
            if let right = records[last].right, records[right].subtree.lastWaiting > .min {
                last = right
            } else if !records[last].isWaiting, let left = records[last].left {
                last = left
            } else {
                break
            }
        }
        // Others of the same priority may have a higher rank.
        var found = last
        for part in parts(of: root, withPriority: time.priority(of: records[last].standing), at: time) {
            let summary = part.isWhole ? records[part.top].subtree : records[part.top].own
            if summary.lastWaiting > records[found].rank {
                found = part.isWhole ? lastWaiting(below: part.top) : part.top
            }
        }
        return records[found].popup
    }

    /// Returns the waiting popup of the highest rank in a subtree that has one.
    private func lastWaiting(below top: Candidate.Index) -> Candidate.Index {
        let rank = records[top].subtree.lastWaiting
        var next = top
        while records[next].own.lastWaiting != rank {
            let left = records[next].left.flatMap { records[$0].subtree.lastWaiting == rank ? $0 : nil }
            guard let below = left ?? records[next].right else { break }
            next = below
        }
        return next
    }

    // MARK: - The search for open popups

    /// A search for the open popups of a group in the order of its queue. It holds as long as the tree does not change.
    struct Search {
        private let root: Candidate.Index?
        private let time: AgingTime
        /// Popups with a lower own priority are passed.
        private let threshold: Int64
        /// Popups of other lanes are passed.
        private let lanes: Candidate.Lanes
        /// The priority of the popups that are searched now.
        private var priority: Int64?
        /// The number of popups and of parts of the tree that were visited since the last look.
        private var visits = 0
        /// The parts of the tree with this priority that are left, as a binary heap by rank.
        private var heap: [(rank: Int64, part: Part)] = []

        fileprivate init(
            _ root: Candidate.Index?, at time: AgingTime, threshold: Int64, lanes: Candidate.Lanes
        ) {
            self.root = root
            self.time = time
            self.threshold = threshold
            self.lanes = lanes
        }

        /// Returns the number of popups and of parts of the tree that were visited since the last call.
        mutating func takeVisits() -> Int {
            defer { visits = 0 }
            return visits
        }

        /// Returns the next popup, in O(log n) expected time: unless the popups of the lowest ranks of many parts are
        /// below the threshold, or in closed lanes. Then it visits those parts.
        mutating func next(in trees: borrowing CandidateTrees) -> PopupRecord.Index? {
            while true {
                while let part = takeFirst() {
                    visits += 1
                    guard part.isWhole else { return trees.records[part.top].popup }
                    add(Part(top: part.top, isWhole: false), trees)
                    if let left = trees.records[part.top].left { add(Part(top: left, isWhole: true), trees) }
                    if let right = trees.records[part.top].right { add(Part(top: right, isWhole: true), trees) }
                }
                guard let root, let first = firstOfLowerPriority(in: trees) else { return nil }
                let priority = time.priority(of: trees.records[first].standing)
                self.priority = priority
                for part in trees.parts(of: root, withPriority: priority, at: time) { add(part, trees) }
            }
        }

        private func admits(_ summary: Candidate.Summary) -> Bool {
            summary.highestOpen >= threshold && !summary.openLanes.isDisjoint(with: lanes)
        }

        /// Returns the first popup of a lower priority than that of the last search.
        ///
        /// It goes back over the parents instead of keeping a stack: a tree is deep only by chance, but then its depth
        /// must not be that of calls.
        private func firstOfLowerPriority(in trees: borrowing CandidateTrees) -> Candidate.Index? {
            var next = root
            while let top = next {
                let record = trees.records[top]
                next = nil
                if admits(record.subtree) {
                    if priority.map({ time.priority(of: record.standing) < $0 }) ?? true {
                        next = record.left
                        if next == nil, admits(record.own) { return top }
                    }
                    next = next ?? record.right
                }
                // Nothing is below. A popup whose left subtree was visited follows it, and is of a lower priority.
                var below = top
                while next == nil, let above = trees.records[below].parent {
                    if trees.records[above].left == below {
                        if admits(trees.records[above].own) { return above }
                        next = trees.records[above].right
                    }
                    below = above
                }
            }
            return nil
        }

        private mutating func add(_ part: Part, _ trees: borrowing CandidateTrees) {
            let summary = part.isWhole ? trees.records[part.top].subtree : trees.records[part.top].own
            guard admits(summary) else { return }
            var place = heap.count
            heap.append((summary.firstOpen, part))
            while place > 0, heap[place].rank < heap[(place - 1) / 2].rank {
                heap.swapAt(place, (place - 1) / 2)
                place = (place - 1) / 2
            }
        }

        private mutating func takeFirst() -> Part? {
            guard let last = heap.popLast() else { return nil }
            guard let first = heap.first else { return last.part }
            heap[0] = last
            var place = 0
            while 2 * place + 1 < heap.count {
                var below = 2 * place + 1
                if below + 1 < heap.count, heap[below + 1].rank < heap[below].rank { below += 1 }
                guard heap[below].rank < heap[place].rank else { break }
                heap.swapAt(place, below)
                place = below
            }
            return first.part
        }
    }

    /// Returns a search for the open popups of a group in these lanes whose own priority is not below the threshold.
    func search(
        in group: GroupRecord.Index, at time: AgingTime, threshold: Int64 = .min, lanes: Candidate.Lanes = .all
    ) -> Search {
        Search(root(of: group), at: time, threshold: threshold, lanes: lanes)
    }

    /// A part of a tree: a popup, alone or with all popups below it.
    fileprivate struct Part {
        let top: Candidate.Index
        let isWhole: Bool
    }

    /// Returns the parts of a tree that together are all popups of a priority. O(log n).
    private func parts(of root: Candidate.Index, withPriority priority: Int64, at time: AgingTime) -> [Part] {
        var parts: [Part] = []
        var next = Optional(root)
        while let top = next, time.priority(of: records[top].standing) != priority {
            next = time.priority(of: records[top].standing) > priority ? records[top].right : records[top].left
        }
        guard let top = next else { return [] }
        parts.append(Part(top: top, isWhole: false))
        next = records[top].left
        while let index = next {
            let isIncluded = time.priority(of: records[index].standing) == priority
            if isIncluded {
                parts.append(Part(top: index, isWhole: false))
                if let right = records[index].right { parts.append(Part(top: right, isWhole: true)) }
            }
            next = isIncluded ? records[index].left : records[index].right
        }
        next = records[top].right
        while let index = next {
            let isIncluded = time.priority(of: records[index].standing) == priority
            if isIncluded {
                parts.append(Part(top: index, isWhole: false))
                if let left = records[index].left { parts.append(Part(top: left, isWhole: true)) }
            }
            next = isIncluded ? records[index].right : records[index].left
        }
        return parts
    }

    // MARK: - The shape of a tree

    private func root(of group: GroupRecord.Index) -> Candidate.Index? {
        group.number < roots.count ? roots[group.number].wrappedValue : nil
    }

    private mutating func setRoot(_ root: Candidate.Index?, of group: GroupRecord.Index) {
        let missing = group.number + 1 - roots.count
        if missing > 0 { roots.append(contentsOf: repeatElement(Packed(), count: missing)) }
        roots[group.number].wrappedValue = root
    }

    private func first(below top: Candidate.Index) -> Candidate.Index {
        var first = top
        while let left = records[first].left { first = left }
        return first
    }

    private func next(after index: Candidate.Index) -> Candidate.Index? {
        if let right = records[index].right { return first(below: right) }
        var below = index
        while let above = records[below].parent {
            if records[above].left == below { return above }
            below = above
        }
        return nil
    }

    /// Moves a popup to the place of its parent, which moves below it.
    private mutating func raise(_ index: Candidate.Index) {
        guard let parent = records[index].parent else { return }
        let above = records[parent].parent
        let isRight = records[parent].right == index
        let moved = isRight ? records[index].left : records[index].right
        if isRight {
            records[parent].right = moved
            records[index].left = parent
        } else {
            records[parent].left = moved
            records[index].right = parent
        }
        if let moved { records[moved].parent = parent }
        replace(parent, by: index, under: above)
        records[parent].parent = index
        records[parent].subtree = summary(of: parent)
        records[index].subtree = summary(of: index)
    }

    /// Lets a parent, or else the root of the group, refer to another popup, or to none.
    private mutating func replace(_ index: Candidate.Index, by other: Candidate.Index?, under parent: Candidate.Index?)
    {
        if let other { records[other].parent = parent }
        if let parent {
            if records[parent].right == index { records[parent].right = other } else { records[parent].left = other }
        } else {
            setRoot(other, of: records[index].group)
        }
    }

    /// Updates what a popup and all above it know about the popups below them.
    private mutating func summarize(from index: Candidate.Index?) {
        var next = index
        while let index = next {
            records[index].subtree = summary(of: index)
            next = records[index].parent
        }
    }

    private func summary(of index: Candidate.Index) -> Candidate.Summary {
        var summary = records[index].own
        if let left = records[index].left { summary.add(records[left].subtree) }
        if let right = records[index].right { summary.add(records[right].subtree) }
        return summary
    }

    #if DEBUG
        /// The number of accesses to popups in trees, for tests that count work.
        var accesses: Int { records.accesses }
    #endif

    // MARK: - Invariants

    /// Returns the number of popups from the root of a tree to one of them.
    func depth(of index: Candidate.Index) -> Int {
        var (depth, next) = (1, records[index].parent)
        while let above = next {
            depth += 1
            next = records[above].parent
        }
        return depth
    }

    /// Returns the broken invariants of a group's tree, whose popups should be as `expected` says.
    func brokenInvariants(
        of group: GroupRecord.Index, _ popups: borrowing PopupTable, expected: (PopupRecord.Index) -> Candidate
    ) -> [String] {
        var broken: [String] = []
        var former: Candidate.Index?
        var next = root(of: group).map { first(below: $0) }
        if let root = root(of: group), records[root].parent != nil { broken.append("the root of a tree has a parent") }
        while let index = next {
            let (record, expected) = (records[index], expected(records[index].popup))
            if popups[record.popup].candidate != index { broken.append("a popup of a tree does not know its place") }
            if record.group != group { broken.append("a tree has a popup of another group") }
            if (record.standing, record.rank, record.priority) != (expected.standing, expected.rank, expected.priority)
                || record.isWaiting != expected.isWaiting || record.lane != expected.lane
            {
                broken.append("a popup has changed in a tree")
            }
            if record.isOpen != expected.isOpen { broken.append("a popup in a tree is wrongly open or closed") }
            if let former, !records[former].precedes(record) { broken.append("a tree is out of order") }
            if record.subtree != summary(of: index) { broken.append("a popup does not know those below it") }
            for child in [record.left, record.right].compactMap({ $0 }) {
                if records[child].parent != index { broken.append("a popup of a tree does not know its parent") }
                if records[child].weight > record.weight { broken.append("a popup is above a heavier one") }
            }
            (former, next) = (index, self.next(after: index))
        }
        return broken
    }
}
