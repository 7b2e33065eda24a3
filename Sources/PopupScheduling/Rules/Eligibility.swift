// Which popups of the queue may be shown at all. One that may not is skipped, and blocks nobody.
extension Scheduler {
    /// Whether the slot may be given to a popup that arrives, waits or is paused.
    @inline(__always)
    func isEligible(_ popup: PopupRecord.Index) -> Bool {
        guard Int64(popups[popup].priority) >= groups[popups[popup].group].threshold else { return false }
        return meetsConditions(popup) && isNextOfFlow(popup)
    }

    /// Whether its own conditions hold, suspensions and quiet hours aside: page, session, caps, retry, requirement.
    @inline(__always)
    func meetsConditions(_ popup: PopupRecord.Index, caps: Bool = true) -> Bool {
        if caps, groups[popups[popup].group].isCapped, !popups[popup].isPaused, !capsAllow(popup) { return false }
        guard let place = popups[popup].relations else { return true }
        return popups.relations[place].retry == nil && popups.relations[place].requirement != .unknown
            && isOnItsPage(place) && isInItsSession(place)
    }

    /// Whether the popup that holds the slot may keep it: nothing holds it back, its page and its session are there.
    func mayStay(_ popup: PopupRecord.Index) -> Bool {
        guard !isHeldBack(popup) else { return false }
        guard let place = popups[popup].relations else { return true }
        return isOnItsPage(place) && isInItsSession(place)
    }

    /// Its priority as the rules compare it: nothing under `ignorePriority`, and risen with age where popups age.
    @inline(__always)
    func comparedPriority(of popup: PopupRecord.Index) -> Int64 {
        comparedPriority(of: popup, at: now)
    }

    @inline(__always)
    func comparedPriority(of popup: PopupRecord.Index, at time: Milliseconds) -> Int64 {
        let priority = Int64(effectivePriority(of: popup))
        return groups[popups[popup].group].ages ? priority + age(of: popup, at: time) : priority
    }

    /// Returns by how much the priority of a popup in the queue has risen: one for each `aging` since it arrived, or
    /// since it was paused, when it already had what it had risen by before. That is kept while it is offered or
    /// active, so that it isn't interrupted at once by those that it had overtaken.
    func age(of popup: PopupRecord.Index, at time: Milliseconds) -> Int64 {
        switch popups[popup].stage {
        case .waiting, .paused: (time - popups[popup].agesSince) / aging(in: popups[popup].group)
        case .arriving, .delayed: 0
        case .offered, .active: popups.rareFields(of: popup).age
        }
    }

    /// Lets a popup that is paused now age from here on, with the age that it had in the slot.
    mutating func ageFromPause(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        popups[popup].agesSince = now
        guard groups[group].ages, popups[popup].rareFields != nil else { return }
        let step = aging(in: group)
        popups[popup].agesSince -= min(popups.rareFields(of: popup).age, now / step) * step
    }

    private func aging(in group: GroupRecord.Index) -> Milliseconds {
        Milliseconds(policies[groups[group].policy].aging)
    }

    /// After what holds for a group has changed: a popup that may not stay gives way; those that may be shown only now
    /// try for the slot, in the order of the queue, and the first that takes it ends it.
    ///
    /// While the active popup is protected each of them only leaves its mark.
    mutating func reconsider(_ group: GroupRecord.Index, freed: [PopupRecord.Index]) {
        if let active = groups[group].active {
            if mayStay(active) {
                _ = freed.first { promotes($0) }
            } else {
                pauseActive(of: group)
            }
        }
        fillSlot(group)
    }

    /// Closes what is chosen of a group, and lets the group go on. A hold of one of their flows ends.
    mutating func close(
        _ chosen: [PopupRecord.Index], _ reason: CloseReason, detail: UnsafeRawBufferPointer,
        in group: GroupRecord.Index, freed: [PopupRecord.Index] = []
    ) {
        if let holder = groups[group].holder, chosen.contains(where: { flow(of: $0) == holder }) {
            breakHold(in: group)
        }
        close(chosen, reason, detail: detail, in: group, then: .goOn(freed: freed))
    }
}

/// No text.
var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
