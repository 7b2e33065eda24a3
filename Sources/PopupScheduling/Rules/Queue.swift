// The order of a group's queue, as its policy compares popups, and the first eligible popup.
extension Scheduler {
    /// Returns the priority under the group's policy, without age: 0 under `ignorePriority`.
    @inline(__always)
    func effectivePriority(of popup: PopupRecord.Index) -> Int32 {
        policies.ignoresPriority(groups[popups[popup].group].policy) ? 0 : popups[popup].priority
    }

    /// Adds a popup to its group's queue: to the level of its effective priority, or to the tree if popups age, if it
    /// has a condition, or if it belongs far inside its level.
    mutating func enqueue(_ popup: PopupRecord.Index) {
        if !belongsIntoTree(popup), groups.enqueue(popup, priority: effectivePriority(of: popup), &popups) { return }
        enqueueInTree(popup)
    }

    @inline(never)
    private mutating func enqueueInTree(_ popup: PopupRecord.Index) {
        groups.enqueue(candidate(for: popup), &popups)
    }

    /// Removes a popup from its group's queue.
    mutating func dequeue(_ popup: PopupRecord.Index) {
        groups.dequeue(popup, &popups)
    }

    /// Whether the place of a popup in the queue changes with time, or whether it may be shown with other commands.
    @inline(__always)
    func belongsIntoTree(_ popup: PopupRecord.Index) -> Bool {
        if groups[popups[popup].group].ages { return true }
        guard let index = popups[popup].relations else { return false }
        return hasCondition(index) || groups[popups[popup].group].isCapped && positionOfCap(withKeyOf: popup) != nil
    }

    @inline(never)
    private func hasCondition(_ index: RelationFields.Index) -> Bool {
        let relations = popups.relations[index]
        return relations.tree != nil || !relations.session.isEmpty || relations.retry != nil
            || relations.requirement == .unknown
    }

    /// Returns a popup as it is in the tree of its group's queue now.
    func candidate(for popup: PopupRecord.Index) -> Candidate {
        let standing =
            aging(in: popups[popup].group).map {
                Standing(priority: popups[popup].priority, since: popups[popup].agesSince, aging: $0)
            } ?? Standing(priority: effectivePriority(of: popup))
        return Candidate(
            popup, popups[popup], standing, lane: lane(of: popup), isOpen: meetsConditions(popup, caps: false))
    }

    /// Returns the present time, at which the popups of a group have aged.
    func agingTime(of group: GroupRecord.Index) -> AgingTime {
        aging(in: group).map { AgingTime(now, aging: $0) } ?? AgingTime()
    }

    /// Updates in the tree of the queue whether the conditions of a popup hold, after one of them has changed.
    mutating func updateConditions(of popup: PopupRecord.Index) {
        guard let candidate = popups[popup].candidate else { return }
        groups.setOpen(meetsConditions(popup, caps: false), candidate)
    }

    /// Returns the first eligible popup of the queue, regardless of a gap.
    func firstEligible(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard !groups[group].hasCandidates else { return searchEligible(of: group) }
        guard let first = groups.firstListed(in: group) else { return nil }
        return isEligible(first) ? first : searchEligible(of: group)
    }

    @inline(never)
    private func searchEligible(of group: GroupRecord.Index) -> PopupRecord.Index? {
        var (search, pass) = (QueueSearch(of: group, in: self), ReadyMembers())
        while let popup = search.next(in: self) {
            if isEligible(popup, &pass) { return popup }
        }
        return nil
    }

    /// Returns the queue in its order. O(n), or O(n log n) if popups age or have conditions.
    func queue(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        queue(of: group, at: now)
    }

    /// Returns the queue in its order at a time that is not before that of the last step.
    func queue(of group: GroupRecord.Index, at time: Milliseconds) -> [PopupRecord.Index] {
        var queue = groups.queued(in: group, popups)
        transaction.meter.count += queue.count
        if groups[group].hasCandidates { queue.sort { precedesInQueue($0, $1, at: time) } }
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

/// A search of a group's queue for popups that may be eligible, in its order: on the levels and in the tree at once. It
/// holds as long as the queue does not change. Popups are left out that can be passed without a visit: those whose
/// conditions do not hold, and those that suspensions, quiet windows or closed caps hold back.
struct QueueSearch {
    private let threshold: Int64
    /// Whether all popups below the threshold are behind the others on the levels.
    private let endsAtThreshold: Bool
    /// Whether a cap of the whole group is closed, so that only paused popups may be shown.
    private let onlyPaused: Bool
    private var listed: PopupRecord.Index?
    private var candidate: PopupRecord.Index?
    private var candidates: CandidateTrees.Search

    init(of group: GroupRecord.Index, in scheduler: borrowing Scheduler) {
        threshold = scheduler.groups[group].threshold
        endsAtThreshold = !scheduler.policies.ignoresPriority(scheduler.groups[group].policy)
        let lanes = scheduler.openLanes(of: group)
        onlyPaused = lanes == .paused
        candidates = scheduler.groups.candidateSearch(
            in: group, at: scheduler.agingTime(of: group), threshold: threshold, lanes: lanes)
        candidate = scheduler.groups.next(in: &candidates)
        listed = admitted(from: scheduler.groups.firstListed(in: group), in: scheduler)
    }

    /// Returns the next popup.
    mutating func next(in scheduler: borrowing Scheduler) -> PopupRecord.Index? {
        scheduler.transaction.meter.count += 1
        defer { scheduler.transaction.meter.count += candidates.takeVisits() }
        if let listed, candidate.map({ scheduler.precedesInQueue(listed, $0) }) ?? true {
            self.listed = admitted(from: scheduler.groups.nextListed(after: listed, scheduler.popups), in: scheduler)
            return listed
        }
        guard let candidate else { return nil }
        self.candidate = scheduler.groups.next(in: &candidates)
        return candidate
    }

    /// Returns the first popup from one on, on the levels, that is not left out.
    private func admitted(from first: PopupRecord.Index?, in scheduler: borrowing Scheduler) -> PopupRecord.Index? {
        var next = first
        while let popup = next {
            if Int64(scheduler.popups[popup].priority) < threshold {
                if endsAtThreshold || threshold == .max { return nil }
                scheduler.transaction.meter.count += 1
                next = scheduler.groups.nextListed(after: popup, scheduler.popups)
            } else if onlyPaused, scheduler.popups[popup].rank >= 0 {
                // Behind it no popup of its level is paused.
                next = scheduler.groups.firstListed(below: popup, scheduler.popups)
            } else {
                return popup
            }
        }
        return nil
    }
}
