// The order of a group's queue, as its policy compares popups, and the first that may be shown.
extension Scheduler {
    /// The priority by which the group's policy compares the popup.
    @inline(__always)
    func effectivePriority(of popup: PopupRecord.Index) -> Int32 {
        policies.ignoresPriority(groups[popups[popup].group].policy) ? 0 : popups[popup].priority
    }

    /// Adds a popup to its group's queue, at the place of its effective priority and rank.
    mutating func enqueue(_ popup: PopupRecord.Index) {
        groups.enqueue(popup, priority: effectivePriority(of: popup), &popups)
    }

    /// Removes a popup from its group's queue.
    mutating func dequeue(_ popup: PopupRecord.Index) {
        groups.dequeue(popup, &popups)
    }

    /// The first of the queue that may be shown, its gap aside. A level wholly below the threshold ends the search.
    func firstEligible(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard !groups[group].ages else { return queue(of: group).first { isEligible($0) } }
        let threshold = groups[group].threshold
        let ignoresPriority = policies.ignoresPriority(groups[group].policy)
        var next = groups.firstQueued(in: group)
        var skipped = 0
        while let popup = next {
            if Int64(popups[popup].priority) < threshold {
                if !ignoresPriority { break }
            } else if isEligible(popup) {
                transaction.meter.count += skipped
                return popup
            }
            skipped += 1
            next = groups.nextQueued(after: popup, popups)
        }
        transaction.meter.count += skipped
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
        var next = groups.firstQueued(in: group)
        while let popup = next {
            queue.append(popup)
            next = groups.nextQueued(after: popup, popups)
        }
        transaction.meter.count += queue.count
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
        var members = groups.queued(in: group, popups)
        for member in members { dequeue(member) }
        members.sort { popups[$0].rank < popups[$1].rank }
        for member in members { enqueue(member) }
    }

    // MARK: - The order of acceptance

    /// The first popup of a group's acceptance order for which `holds` is true.
    func firstAccepted(in group: GroupRecord.Index, where holds: (PopupRecord.Index) -> Bool) -> PopupRecord.Index? {
        popups.first(from: groups[group].accepted.first, Acceptances.self, where: holds)
    }

    /// All live popups of a group in order of acceptance.
    func acceptanceOrder(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        popups.members(of: groups[group].accepted)
    }

    /// The group's live popups in the order in which they are listed and closed together: higher effective priority
    /// first; among equals the active one, paused ones (the latest first), then waiting and delayed ones by acceptance.
    func inClosingOrder(_ group: GroupRecord.Index) -> [PopupRecord.Index] {
        var members = acceptanceOrder(of: group).map { popup in
            let rank = popups[popup].holdsSlot ? Int64.min : popups[popup].rank
            return (popup: popup, priority: comparedPriority(of: popup), rank: rank)
        }
        transaction.meter.count += members.count
        members.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        return members.map(\.popup)
    }
}
