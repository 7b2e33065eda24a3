// The order of a group's queue, as its policy compares popups, and the first eligible popup.
extension Scheduler {
    /// Returns the priority under the group's policy, without age: 0 under `ignorePriority`.
    @inline(__always)
    func effectivePriority(of popup: PopupRecord.Index) -> Int32 {
        policies.ignoresPriority(groups[popups[popup].group].policy) ? 0 : popups[popup].priority
    }

    /// Adds a popup to its group's queue, at the position of its effective priority and rank.
    mutating func enqueue(_ popup: PopupRecord.Index) {
        groups.enqueue(popup, priority: effectivePriority(of: popup), &popups)
    }

    /// Removes a popup from its group's queue.
    mutating func dequeue(_ popup: PopupRecord.Index) {
        groups.dequeue(popup, &popups)
    }

    /// Returns the first eligible popup of the queue, regardless of a gap. The search ends at the first priority below
    /// the threshold.
    func firstEligible(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard !groups[group].ages else { return firstEligibleOfAging(group) }
        guard let first = groups.firstQueued(in: group) else { return nil }
        return isEligible(first) ? first : firstEligible(of: group, from: first)
    }

    private func firstEligible(of group: GroupRecord.Index, from first: PopupRecord.Index) -> PopupRecord.Index? {
        let threshold = groups[group].threshold
        let ignoresPriority = policies.ignoresPriority(groups[group].policy)
        var (next, pass) = (Optional(first), ReadyMembers())
        var skipped = 0
        while let popup = next {
            if Int64(popups[popup].priority) < threshold {
                if !ignoresPriority { break }
            } else if isEligible(popup, &pass) {
                transaction.meter.count += skipped
                return popup
            }
            skipped += 1
            next = groups.nextQueued(after: popup, popups)
        }
        transaction.meter.count += skipped
        return nil
    }

    /// Returns the first eligible popup of a queue whose popups age. O(n): the levels contain only the priorities at the
    /// start. No popup is moved.
    private func firstEligibleOfAging(_ group: GroupRecord.Index) -> PopupRecord.Index? {
        var (best, count, pass): (PopupRecord.Index?, Int, ReadyMembers) = (nil, 0, ReadyMembers())
        var next = groups.firstQueued(in: group)
        while let popup = next {
            count += 1
            if best.map({ precedesInQueue(popup, $0) }) ?? true, isEligible(popup, &pass) { best = popup }
            next = groups.nextQueued(after: popup, popups)
        }
        transaction.meter.count += count
        return best
    }

    /// Returns the queue in its order. O(n), or O(n log n) if popups age: the levels contain only the priorities at the
    /// start.
    func queue(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        queue(of: group, at: now)
    }

    /// Returns the queue in its order at a time that is not before that of the last step.
    func queue(of group: GroupRecord.Index, at time: Milliseconds) -> [PopupRecord.Index] {
        var queue: [PopupRecord.Index] = []
        queue.reserveCapacity(Int(groups[group].waiting + groups[group].paused))
        var next = groups.firstQueued(in: group)
        while let popup = next {
            queue.append(popup)
            next = groups.nextQueued(after: popup, popups)
        }
        transaction.meter.count += queue.count
        if groups[group].ages { queue.sort { precedesInQueue($0, $1, at: time) } }
        return queue
    }

    /// Whether a popup precedes another one of its group: by priority, then by rank.
    func precedesInQueue(_ popup: PopupRecord.Index, _ other: PopupRecord.Index) -> Bool {
        precedesInQueue(popup, other, at: now)
    }

    private func precedesInQueue(_ popup: PopupRecord.Index, _ other: PopupRecord.Index, at time: Milliseconds) -> Bool
    {
        let (mine, theirs) = (comparedPriority(of: popup, at: time), comparedPriority(of: other, at: time))
        return mine != theirs ? mine > theirs : popups[popup].rank < popups[other].rank
    }

    /// Sorts the queue after a change of the policy.
    mutating func reorderQueue(of group: GroupRecord.Index) {
        var members = groups.queued(in: group, popups)
        for member in members { dequeue(member) }
        members.sort { popups[$0].rank < popups[$1].rank }
        for member in members { enqueue(member) }
    }

    // MARK: - The order of acceptance

    /// Returns the first popup of a group's acceptance order for which `holds` is true.
    func firstAccepted(in group: GroupRecord.Index, where holds: (PopupRecord.Index) -> Bool) -> PopupRecord.Index? {
        popups.first(from: groups[group].accepted.first, Acceptances.self, where: holds)
    }

    /// Returns all live popups of a group in order of acceptance.
    func acceptanceOrder(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        popups.members(of: groups[group].accepted)
    }

    /// Returns the live popups of a group that are chosen, in the order in which they close together: in descending
    /// order of effective priority; within one priority the active one, paused ones (the one paused last first), then
    /// waiting and delayed ones by acceptance. If none is chosen, it allocates nothing: a `clear` may visit many
    /// groups without such popups.
    func inClosingOrder(
        _ group: GroupRecord.Index, where isChosen: (PopupRecord.Index) -> Bool = { _ in true }
    ) -> [PopupRecord.Index] {
        var members: [(popup: PopupRecord.Index, priority: Int64, rank: Int64)] = []
        var next = groups[group].accepted.first
        while let popup = next {
            transaction.meter.count += 1
            if isChosen(popup) {
                let rank = popups[popup].holdsSlot ? Int64.min : popups[popup].rank
                members.append((popup, comparedPriority(of: popup), rank))
            }
            next = popups.next(after: popup, Acceptances.self)
        }
        if members.isEmpty { return [] }
        members.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        return members.map(\.popup)
    }
}
