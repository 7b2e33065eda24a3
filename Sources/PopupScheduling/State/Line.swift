// The waiting line of a group: rungs from the highest priority to the lowest, and on each rung the popups of this
// priority by rank. Paused popups have negative ranks, the latest the lowest, so they come first; waiting ones have the
// number of their acceptance.
//
//     highest rung   9:  P(-7) ─ P(-3) ─ W(12) ─ W(15)
//                    │
//                    2:  W(4)
//                    │
//     lowest rung    0:  W(8) ─ W(9)
//
// Taking the first and adding the last of a priority are O(log d), d the different priorities in the line: see the tree
// of rungs. A place in the midst of equals is looked for from both ends.

/// The popups of one priority in a line: 32 bytes.
struct Rung: BitwiseCopyable {
    var priority: Int32
    var first = nobody
    var last = nobody
    // The next ones of the line.
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

    /// Puts a popup into its group's line, by its effective priority and rank.
    mutating func enqueue(_ popup: Int32) {
        let rung = rung(of: popups[popup].group, priority: effectivePriority(of: popup))
        let rank = popups[popup].rank
        popups[popup].rung = rung
        var front = rungs[rung].first
        var back = rungs[rung].last
        // From both ends at once: the place is most often at one of them.
        while front != nobody {
            if popups[front].rank > rank { return link(popup, before: front, on: rung) }
            if popups[back].rank < rank { return link(popup, before: popups[back].behind, on: rung) }
            front = popups[front].behind
            back = popups[back].before
        }
        link(popup, before: nobody, on: rung)
    }

    /// Puts popups, in the order in which the line wants them, behind all that it has.
    mutating func enqueueInOrder(_ members: [Int32], in group: Int32) {
        var rung = lowestRung(of: group)
        for popup in members {
            let priority = effectivePriority(of: popup)
            if rung == nobody || rungs[rung].priority != priority {
                rung = addRung(priority, of: group, higher: rung, lower: nobody)
            }
            popups[popup].rung = rung
            link(popup, before: nobody, on: rung)
        }
    }

    /// Takes a popup out of its group's line.
    mutating func dequeue(_ popup: Int32) {
        let (rung, before, behind) = (popups[popup].rung, popups[popup].before, popups[popup].behind)
        if before == nobody { rungs[rung].first = behind } else { popups[before].behind = behind }
        if behind == nobody { rungs[rung].last = before } else { popups[behind].before = before }
        popups[popup].rung = nobody
        popups[popup].before = nobody
        popups[popup].behind = nobody
        if rungs[rung].first == nobody { removeRung(rung, of: popups[popup].group) }
    }

    /// The first of the line.
    func firstInLine(of group: Int32) -> Int32 {
        let root = groups[group].line
        return root == nobody ? nobody : rungs[rungs.highest(in: root)].first
    }

    func lowestRung(of group: Int32) -> Int32 {
        let root = groups[group].line
        return root == nobody ? nobody : rungs.lowest(in: root)
    }

    /// The one after it in the line.
    func nextInLine(after popup: Int32) -> Int32 {
        if popups[popup].behind != nobody { return popups[popup].behind }
        let lower = rungs[popups[popup].rung].lower
        return lower == nobody ? nobody : rungs[lower].first
    }

    /// The first of the line that may be shown, its gap aside. A rung wholly below the threshold ends the search.
    func firstEligible(of group: Int32) -> Int32 {
        guard !groups[group].ages else { return line(of: group).first { isEligible($0) } ?? nobody }
        let threshold = groups[group].threshold
        let ignoresPriority = policies.ignoresPriority(groups[group].policy)
        var popup = firstInLine(of: group)
        var skipped = 0
        while popup != nobody {
            if Int64(popups[popup].priority) < threshold {
                if !ignoresPriority { break }
            } else if isEligible(popup) {
                meter.count += skipped
                return popup
            }
            skipped += 1
            popup = nextInLine(after: popup)
        }
        meter.count += skipped
        return nobody
    }

    /// The line in its order. O(n), and O(n log n) where popups age: then the rungs tell only where they began.
    func line(of group: Int32) -> [Int32] {
        line(of: group, at: now)
    }

    /// The line as it stands at a time that is not before the last step's.
    func line(of group: Int32, at time: Milliseconds) -> [Int32] {
        var line: [Int32] = []
        line.reserveCapacity(Int(groups[group].waiting + groups[group].paused))
        var popup = firstInLine(of: group)
        while popup != nobody {
            line.append(popup)
            popup = nextInLine(after: popup)
        }
        meter.count += line.count
        if groups[group].ages { line.sort { precedesInLine($0, $1, at: time) } }
        return line
    }

    /// Whether a popup comes before another one of its group: by priority, then by rank.
    func precedesInLine(_ popup: Int32, _ other: Int32) -> Bool {
        precedesInLine(popup, other, at: now)
    }

    private func precedesInLine(_ popup: Int32, _ other: Int32, at time: Milliseconds) -> Bool {
        let (mine, theirs) = (standing(of: popup, at: time), standing(of: other, at: time))
        return mine != theirs ? mine > theirs : popups[popup].rank < popups[other].rank
    }

    /// Puts every popup of the line where the policy now wants it.
    mutating func reorderLine(of group: Int32) {
        var members: [Int32] = []
        var popup = firstInLine(of: group)
        while popup != nobody {
            members.append(popup)
            popup = nextInLine(after: popup)
        }
        for member in members { dequeue(member) }
        members.sort { popups[$0].rank < popups[$1].rank }
        for member in members { enqueue(member) }
    }

    private mutating func link(_ popup: Int32, before next: Int32, on rung: Int32) {
        let previous = next == nobody ? rungs[rung].last : popups[next].before
        popups[popup].before = previous
        popups[popup].behind = next
        if previous == nobody { rungs[rung].first = popup } else { popups[previous].behind = popup }
        if next == nobody { rungs[rung].last = popup } else { popups[next].before = popup }
    }

    /// The rung of a priority, made if the line has none.
    private mutating func rung(of group: Int32, priority: Int32) -> Int32 {
        let (rung, higher, lower) = rungs.find(priority, in: groups[group].line)
        return rung == nobody ? addRung(priority, of: group, higher: higher, lower: lower) : rung
    }

    private mutating func addRung(_ priority: Int32, of group: Int32, higher: Int32, lower: Int32) -> Int32 {
        // Of any priority the same, and none the less as if drawn: nobody can choose priorities that make the tree deep.
        let weight = Generator(seed: hashSeed ^ UInt64(UInt32(bitPattern: priority))).first
        let rung = rungs.insert(Rung(priority: priority, higher: higher, lower: lower, weight: weight))
        if higher != nobody { rungs[higher].lower = rung }
        if lower != nobody { rungs[lower].higher = rung }
        groups[group].line = rungs.add(rung, to: groups[group].line)
        return rung
    }

    private mutating func removeRung(_ rung: Int32, of group: Int32) {
        let (higher, lower) = (rungs[rung].higher, rungs[rung].lower)
        if higher != nobody { rungs[higher].lower = lower }
        if lower != nobody { rungs[lower].higher = higher }
        groups[group].line = rungs.takeOut(rung, of: groups[group].line)
        rungs.remove(rung)
    }
}
