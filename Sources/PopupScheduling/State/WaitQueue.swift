// The waiting queue of a group: levels from the highest priority to the lowest, and on each level the popups of this
// priority by rank. Paused popups have negative ranks, the latest the lowest, so they come first; waiting ones have the
// number of their acceptance.
//
//     highest level   9:  P(-7) ─ P(-3) ─ W(12) ─ W(15)
//                    │
//                    2:  W(4)
//                    │
//     lowest level    0:  W(8) ─ W(9)
//
// Taking the first and adding the last of a priority are O(log d), d the different priorities in the queue: see the
// tree of levels. A place in the midst of equals is looked for from both ends.

/// The popups of one priority in a queue: 32 bytes.
struct PriorityLevel: BitwiseCopyable {
    typealias Index = TableIndex<PriorityLevel>

    var priority: Int32
    var popups = List<Equals>()
    // The next ones of the queue.
    @Packed var higher: Index?
    @Packed var lower: Index?
    // Its place in the tree: on its left are lower priorities, on its right higher ones, and none has more weight.
    @Packed var left: Index?
    @Packed var right: Index?
    var weight: UInt32

    init(priority: Int32, higher: Index?, lower: Index?, weight: UInt32) {
        self.priority = priority
        self.higher = higher
        self.lower = lower
        self.weight = weight
    }
}

extension Scheduler {
    /// The priority by which the group's policy compares the popup.
    @inline(__always)
    func effectivePriority(of popup: PopupRecord.Index) -> Int32 {
        policies.ignoresPriority(groups[popups[popup].group].policy) ? 0 : popups[popup].priority
    }

    /// Puts a popup into its group's queue, by its effective priority and rank.
    mutating func enqueue(_ popup: PopupRecord.Index) {
        let level = level(of: popups[popup].group, priority: effectivePriority(of: popup))
        let rank = popups[popup].rank
        popups[popup].level = level
        var (first, last) = (levels[level].popups.first, levels[level].popups.last)
        // From both ends at once: the place is most often at one of them.
        while let front = first, let back = last {
            if popups[front].rank > rank { return popups.insert(popup, before: front, in: &levels[level].popups) }
            let behind = popups.next(after: back, Equals.self)
            if popups[back].rank < rank { return popups.insert(popup, before: behind, in: &levels[level].popups) }
            first = popups.next(after: front, Equals.self)
            last = popups.previous(before: back, Equals.self)
        }
        popups.append(popup, to: &levels[level].popups)
    }

    /// Puts popups, in the order in which the queue wants them, behind all that it has.
    mutating func enqueueInOrder(_ members: [PopupRecord.Index], in group: GroupRecord.Index) {
        var lowest = lowestLevel(of: group)
        for popup in members {
            let priority = effectivePriority(of: popup)
            let same = lowest.flatMap { levels[$0].priority == priority ? $0 : nil }
            let level = same ?? addLevel(priority, of: group, higher: lowest, lower: nil)
            lowest = level
            popups[popup].level = level
            popups.append(popup, to: &levels[level].popups)
        }
    }

    /// Takes a popup out of its group's queue.
    mutating func dequeue(_ popup: PopupRecord.Index) {
        guard let level = popups[popup].level else { return }
        popups.remove(popup, from: &levels[level].popups)
        popups[popup].level = nil
        if levels[level].popups.isEmpty { removeLevel(level, of: popups[popup].group) }
    }

    /// The first of the queue.
    func firstInQueue(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard let level = levels.highest(in: groups[group].queue) else { return nil }
        return levels[level].popups.first
    }

    func lowestLevel(of group: GroupRecord.Index) -> PriorityLevel.Index? {
        levels.lowest(in: groups[group].queue)
    }

    /// The one after it in the queue.
    func nextInQueue(after popup: PopupRecord.Index) -> PopupRecord.Index? {
        if let behind = popups.next(after: popup, Equals.self) { return behind }
        guard let level = popups[popup].level, let lower = levels[level].lower else { return nil }
        return levels[lower].popups.first
    }

    /// The first of the queue that may be shown, its gap aside. A level wholly below the threshold ends the search.
    func firstEligible(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard !groups[group].ages else { return queue(of: group).first { isEligible($0) } }
        let threshold = groups[group].threshold
        let ignoresPriority = policies.ignoresPriority(groups[group].policy)
        var next = firstInQueue(of: group)
        var skipped = 0
        while let popup = next {
            if Int64(popups[popup].priority) < threshold {
                if !ignoresPriority { break }
            } else if isEligible(popup) {
                meter.count += skipped
                return popup
            }
            skipped += 1
            next = nextInQueue(after: popup)
        }
        meter.count += skipped
        return nil
    }

    /// The queue in its order. O(n), and O(n log n) where popups age: then the levels tell only where they began.
    func queue(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        queue(of: group, at: now)
    }

    /// The queue as it stands at a time that is not before the last step's.
    func queue(of group: GroupRecord.Index, at time: Milliseconds) -> [PopupRecord.Index] {
        var queue: [PopupRecord.Index] = []
        queue.reserveCapacity(Int(groups[group].waiting + groups[group].paused))
        var next = firstInQueue(of: group)
        while let popup = next {
            queue.append(popup)
            next = nextInQueue(after: popup)
        }
        meter.count += queue.count
        if groups[group].ages { queue.sort { precedesInQueue($0, $1, at: time) } }
        return queue
    }

    /// Whether a popup comes before another one of its group: by priority, then by rank.
    func precedesInQueue(_ popup: PopupRecord.Index, _ other: PopupRecord.Index) -> Bool {
        precedesInQueue(popup, other, at: now)
    }

    private func precedesInQueue(_ popup: PopupRecord.Index, _ other: PopupRecord.Index, at time: Milliseconds) -> Bool
    {
        let (mine, theirs) = (comparedPriority(of: popup, at: time), comparedPriority(of: other, at: time))
        return mine != theirs ? mine > theirs : popups[popup].rank < popups[other].rank
    }

    /// Puts every popup of the queue where the policy now wants it.
    mutating func reorderQueue(of group: GroupRecord.Index) {
        var members: [PopupRecord.Index] = []
        var next = firstInQueue(of: group)
        while let popup = next {
            members.append(popup)
            next = nextInQueue(after: popup)
        }
        for member in members { dequeue(member) }
        members.sort { popups[$0].rank < popups[$1].rank }
        for member in members { enqueue(member) }
    }

    /// The level of a priority, made if the queue has none.
    private mutating func level(of group: GroupRecord.Index, priority: Int32) -> PriorityLevel.Index {
        let (level, higher, lower) = levels.find(priority, in: groups[group].queue)
        return level ?? addLevel(priority, of: group, higher: higher, lower: lower)
    }

    private mutating func addLevel(
        _ priority: Int32, of group: GroupRecord.Index, higher: PriorityLevel.Index?, lower: PriorityLevel.Index?
    ) -> PriorityLevel.Index {
        // Of any priority the same, and none the less as if drawn: nobody can choose priorities that make the tree
        // deep.
        let weight = Generator(seed: hashSeed ^ UInt64(UInt32(bitPattern: priority))).first
        let level = levels.insert(PriorityLevel(priority: priority, higher: higher, lower: lower, weight: weight))
        if let higher { levels[higher].lower = level }
        if let lower { levels[lower].higher = level }
        groups[group].queue = levels.add(level, to: groups[group].queue)
        return level
    }

    private mutating func removeLevel(_ level: PriorityLevel.Index, of group: GroupRecord.Index) {
        let (higher, lower) = (levels[level].higher, levels[level].lower)
        if let higher { levels[higher].lower = lower }
        if let lower { levels[lower].higher = higher }
        groups[group].queue = levels.takeOut(level, of: groups[group].queue)
        levels.remove(level)
    }
}
