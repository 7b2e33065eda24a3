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
    var priority: Int32
    var first = nobody
    var last = nobody
    // The next ones of the queue.
    var higher = nobody
    var lower = nobody
    // Its place in the tree: on its left are lower priorities, on its right higher ones, and none has more weight.
    var left = nobody
    var right = nobody
    var weight: UInt32
}

extension Scheduler {
    /// The priority by which the group's policy compares the popup.
    @inline(__always)
    func effectivePriority(of popup: Int32) -> Int32 {
        policies.ignoresPriority(groups[popups[popup].group].policy) ? 0 : popups[popup].priority
    }

    /// Puts a popup into its group's queue, by its effective priority and rank.
    mutating func enqueue(_ popup: Int32) {
        let level = level(of: popups[popup].group, priority: effectivePriority(of: popup))
        let rank = popups[popup].rank
        popups[popup].level = level
        var front = levels[level].first
        var back = levels[level].last
        // From both ends at once: the place is most often at one of them.
        while front != nobody {
            if popups[front].rank > rank { return link(popup, before: front, on: level) }
            if popups[back].rank < rank { return link(popup, before: popups[back].behind, on: level) }
            front = popups[front].behind
            back = popups[back].before
        }
        link(popup, before: nobody, on: level)
    }

    /// Puts popups, in the order in which the queue wants them, behind all that it has.
    mutating func enqueueInOrder(_ members: [Int32], in group: Int32) {
        var level = lowestLevel(of: group)
        for popup in members {
            let priority = effectivePriority(of: popup)
            if level == nobody || levels[level].priority != priority {
                level = addLevel(priority, of: group, higher: level, lower: nobody)
            }
            popups[popup].level = level
            link(popup, before: nobody, on: level)
        }
    }

    /// Takes a popup out of its group's queue.
    mutating func dequeue(_ popup: Int32) {
        let (level, before, behind) = (popups[popup].level, popups[popup].before, popups[popup].behind)
        if before == nobody { levels[level].first = behind } else { popups[before].behind = behind }
        if behind == nobody { levels[level].last = before } else { popups[behind].before = before }
        popups[popup].level = nobody
        popups[popup].before = nobody
        popups[popup].behind = nobody
        if levels[level].first == nobody { removeLevel(level, of: popups[popup].group) }
    }

    /// The first of the queue.
    func firstInQueue(of group: Int32) -> Int32 {
        let root = groups[group].queue
        return root == nobody ? nobody : levels[levels.highest(in: root)].first
    }

    func lowestLevel(of group: Int32) -> Int32 {
        let root = groups[group].queue
        return root == nobody ? nobody : levels.lowest(in: root)
    }

    /// The one after it in the queue.
    func nextInQueue(after popup: Int32) -> Int32 {
        if popups[popup].behind != nobody { return popups[popup].behind }
        let lower = levels[popups[popup].level].lower
        return lower == nobody ? nobody : levels[lower].first
    }

    /// The first of the queue that may be shown, its gap aside. A level wholly below the threshold ends the search.
    func firstEligible(of group: Int32) -> Int32 {
        guard !groups[group].ages else { return queue(of: group).first { isEligible($0) } ?? nobody }
        let threshold = groups[group].threshold
        let ignoresPriority = policies.ignoresPriority(groups[group].policy)
        var popup = firstInQueue(of: group)
        var skipped = 0
        while popup != nobody {
            if Int64(popups[popup].priority) < threshold {
                if !ignoresPriority { break }
            } else if isEligible(popup) {
                meter.count += skipped
                return popup
            }
            skipped += 1
            popup = nextInQueue(after: popup)
        }
        meter.count += skipped
        return nobody
    }

    /// The queue in its order. O(n), and O(n log n) where popups age: then the levels tell only where they began.
    func queue(of group: Int32) -> [Int32] {
        queue(of: group, at: now)
    }

    /// The queue as it stands at a time that is not before the last step's.
    func queue(of group: Int32, at time: Milliseconds) -> [Int32] {
        var queue: [Int32] = []
        queue.reserveCapacity(Int(groups[group].waiting + groups[group].paused))
        var popup = firstInQueue(of: group)
        while popup != nobody {
            queue.append(popup)
            popup = nextInQueue(after: popup)
        }
        meter.count += queue.count
        if groups[group].ages { queue.sort { precedesInQueue($0, $1, at: time) } }
        return queue
    }

    /// Whether a popup comes before another one of its group: by priority, then by rank.
    func precedesInQueue(_ popup: Int32, _ other: Int32) -> Bool {
        precedesInQueue(popup, other, at: now)
    }

    private func precedesInQueue(_ popup: Int32, _ other: Int32, at time: Milliseconds) -> Bool {
        let (mine, theirs) = (comparedPriority(of: popup, at: time), comparedPriority(of: other, at: time))
        return mine != theirs ? mine > theirs : popups[popup].rank < popups[other].rank
    }

    /// Puts every popup of the queue where the policy now wants it.
    mutating func reorderQueue(of group: Int32) {
        var members: [Int32] = []
        var popup = firstInQueue(of: group)
        while popup != nobody {
            members.append(popup)
            popup = nextInQueue(after: popup)
        }
        for member in members { dequeue(member) }
        members.sort { popups[$0].rank < popups[$1].rank }
        for member in members { enqueue(member) }
    }

    private mutating func link(_ popup: Int32, before next: Int32, on level: Int32) {
        let previous = next == nobody ? levels[level].last : popups[next].before
        popups[popup].before = previous
        popups[popup].behind = next
        if previous == nobody { levels[level].first = popup } else { popups[previous].behind = popup }
        if next == nobody { levels[level].last = popup } else { popups[next].before = popup }
    }

    /// The level of a priority, made if the queue has none.
    private mutating func level(of group: Int32, priority: Int32) -> Int32 {
        let (level, higher, lower) = levels.find(priority, in: groups[group].queue)
        return level == nobody ? addLevel(priority, of: group, higher: higher, lower: lower) : level
    }

    private mutating func addLevel(_ priority: Int32, of group: Int32, higher: Int32, lower: Int32) -> Int32 {
        // Of any priority the same, and none the less as if drawn: nobody can choose priorities that make the tree
        // deep.
        let weight = Generator(seed: hashSeed ^ UInt64(UInt32(bitPattern: priority))).first
        let level = levels.insert(PriorityLevel(priority: priority, higher: higher, lower: lower, weight: weight))
        if higher != nobody { levels[higher].lower = level }
        if lower != nobody { levels[lower].higher = level }
        groups[group].queue = levels.add(level, to: groups[group].queue)
        return level
    }

    private mutating func removeLevel(_ level: Int32, of group: Int32) {
        let (higher, lower) = (levels[level].higher, levels[level].lower)
        if higher != nobody { levels[higher].lower = lower }
        if lower != nobody { levels[lower].higher = higher }
        groups[group].queue = levels.takeOut(level, of: groups[group].queue)
        levels.remove(level)
    }
}
