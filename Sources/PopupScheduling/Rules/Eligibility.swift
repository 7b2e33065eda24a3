// Eligibility: which popups of the queue may be shown. A popup that is not eligible is skipped and blocks no other.
extension Scheduler {
    /// Whether a popup that arrives, waits or is paused may take the slot.
    @inline(__always)
    func isEligible(_ popup: PopupRecord.Index) -> Bool {
        isEligibleInItsTurn(popup) && isNextOfFlow(popup)
    }

    /// Whether a popup may take the slot, in a pass over many popups.
    func isEligible(_ popup: PopupRecord.Index, _ pass: inout ReadyMembers) -> Bool {
        isEligibleInItsTurn(popup) && isNextOfFlow(popup, &pass)
    }

    /// Whether a popup may take the slot once no other member of its flow goes before it.
    @inline(__always)
    private func isEligibleInItsTurn(_ popup: PopupRecord.Index) -> Bool {
        Int64(popups[popup].priority) >= groups[popups[popup].group].threshold && meetsConditions(popup)
    }

    /// Whether the popup's own conditions hold: page, session, caps, retry, requirement. Suspensions and quiet windows
    /// are not considered.
    @inline(__always)
    func meetsConditions(_ popup: PopupRecord.Index, caps: Bool = true) -> Bool {
        if caps, groups[popups[popup].group].isCapped, !popups[popup].isPaused, !capsAllow(popup) { return false }
        guard let index = popups[popup].relations else { return true }
        return popups.relations[index].retry == nil && popups.relations[index].requirement != .unknown
            && isOnItsPage(index) && isInItsSession(index)
    }

    /// Whether the popup that has the slot may keep it: no suspension or quiet window holds it back, and its page and
    /// session still match.
    func mayStay(_ popup: PopupRecord.Index) -> Bool {
        guard !isHeldBack(popup) else { return false }
        guard let index = popups[popup].relations else { return true }
        return isOnItsPage(index) && isInItsSession(index)
    }

    /// Returns the priority that the rules compare: 0 under `ignorePriority`, and raised by age where popups age.
    @inline(__always)
    func comparedPriority(of popup: PopupRecord.Index) -> Int64 {
        comparedPriority(of: popup, at: now)
    }

    @inline(__always)
    func comparedPriority(of popup: PopupRecord.Index, at time: Milliseconds) -> Int64 {
        let priority = Int64(effectivePriority(of: popup))
        return groups[popups[popup].group].ages ? priority + age(of: popup, at: time) : priority
    }

    /// Returns the number by which the priority of a popup has risen with age: one per `aging` since it arrived or was
    /// paused. A paused popup continues from the age that it had. While a popup is offered or active it keeps its age,
    /// so that the popups which it overtook do not interrupt it at once.
    func age(of popup: PopupRecord.Index, at time: Milliseconds) -> Int64 {
        switch popups[popup].phase {
        case .waiting, .paused: aging(in: popups[popup].group).map { (time - popups[popup].agesSince) / $0 } ?? 0
        case .arriving, .delayed: 0
        case .offered, .active: popups.rareFields(of: popup).age
        }
    }

    /// Starts the aging of a popup that is paused now, from the age that it had in the slot.
    mutating func ageFromPause(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        popups[popup].agesSince = now
        guard let step = aging(in: group), popups[popup].rareFields != nil else { return }
        popups[popup].agesSince -= min(popups.rareFields(of: popup).age, now / step) * step
    }

    /// Returns the time in ms in which the priority of a waiting popup of a group rises by one; `nil` if it does not. A
    /// new policy without aging is in force before a later step adapts the group to it; queries are answered in
    /// between.
    func aging(in group: GroupRecord.Index) -> Milliseconds? {
        let aging = policies[groups[group].policy].aging
        return groups[group].ages && aging > 0 ? Milliseconds(aging) : nil
    }

    /// Applies a change of a group's conditions. The active popup is paused if it may not stay. The popups that have
    /// become eligible try to take the slot in the order of the queue, until one succeeds.
    ///
    /// While the minimum display time protects the active popup, each of them is only marked.
    mutating func reconsider(_ group: GroupRecord.Index, freed: [PopupRecord.Index]) {
        if let active = groups[group].active {
            if mayStay(active) {
                var pass = ReadyMembers()
                _ = freed.first { promotes($0, &pass) }
            } else {
                pauseActive(of: group)
            }
        }
        fillSlot(group)
    }

    /// Closes the chosen popups of a group, and then continues the group. Ends the hold of a flow if a chosen popup is
    /// a member of it.
    mutating func close(
        _ chosen: [PopupRecord.Index], _ reason: CloseReason, detail: UnsafeRawBufferPointer,
        in group: GroupRecord.Index, freed: [PopupRecord.Index] = []
    ) {
        if let holder = groups[group].holder, chosen.contains(where: { flow(of: $0) == holder }) {
            breakHold(in: group)
        }
        close(chosen, reason, detail: detail, in: group, then: .proceed(freed: freed))
    }
}

/// The empty text.
var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
