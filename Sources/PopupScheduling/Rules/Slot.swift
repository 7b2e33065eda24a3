// The slot of a group: which popup takes it, which leaves it, and what follows.

/// The work that remains after a popup left the slot.
struct Departure {
    /// The flow of the popup; `nil` if it was in none.
    var flow: FlowRecord.Index?
    /// The time in ms for which the flow keeps the slot.
    var hold: UInt32
    /// Whether the popup was shown, so that a gap follows.
    var wasShown: Bool

    /// The departure of a popup that closes together with others: its flow does not keep the slot.
    var ofMany: Departure { Departure(flow: flow, hold: 0, wasShown: wasShown) }

    /// The departure of a popup that returns to the queue.
    var withoutHold: Departure { Departure(flow: flow, hold: 0, wasShown: false) }
}

extension Scheduler {
    /// Gives the free slot to a popup that is arriving or in the queue. The popup is offered first if it has an offer
    /// time. `exempt` exempts it from the current suspensions and quiet windows.
    mutating func activate(_ popup: PopupRecord.Index, exempt: Bool = false, offering: Bool = true) {
        let group = popups[popup].group
        markChanged(group, slot: true)
        timers.cancel(groups[group].gap)
        groups[group].gap = nil
        endHold(in: group)
        forgetHold(of: popup)

        let resumes = popups[popup].isPaused
        let age = groups[group].ages ? age(of: popup, at: now) : 0
        if age > 0 || popups[popup].rareFields != nil { popups.changeRareFields(of: popup) { $0.age = age } }
        leaveQueue(popup)
        groups[group].active = popup
        groups[group].activation = groups.nextActivation()
        if exempt || popups[popup].rareFields != nil {
            let number = exempt ? policies.suspensions.latest : 0
            popups.changeRareFields(of: popup) { $0.exemptUpTo = number }
        }
        popups[popup].sinceRevision = upcomingRevision(of: group)
        let offerTime = offering && !resumes ? offerTime(of: popup) : 0
        if offerTime > 0 { offer(popup, for: offerTime) } else { present(popup, resumes: resumes) }
    }

    /// Makes the popup that has the slot active, and starts its timers.
    mutating func present(_ popup: PopupRecord.Index, resumes: Bool) {
        let group = popups[popup].group
        timers.cancel(popups[popup].expiry)
        popups[popup].expiry = nil
        popups[popup].sinceRevision = upcomingRevision(of: group)
        if resumes {
            if policies[groups[group].policy].resumption == .restart { popups[popup].used = 0 }
        } else {
            popups[popup].attempt += 1
            if popups[popup].attempt == 1 { transaction.waitingTimes.record(now - popups[popup].agesSince) }
            forgetDismissals(of: popup)
        }
        popups[popup].phase = .active(since: now, timer: nil)
        if policies[groups[group].policy].clock == .display { startClock(of: popup) }
        let minimum = popups.rareFields(of: popup).minimumDisplay
        if minimum > 0 {
            groups[group].minimumDisplay = timers.set(.minimumDisplay(group), due: now + Milliseconds(minimum))
        }
        let timeout = policies[groups[group].policy].displayTimeout
        if timeout > 0 {
            groups[group].displayTimeout = timers.set(.displayTimeout(group), due: now + Milliseconds(timeout))
        }
        if !resumes, groups[group].isCapped { countForCaps(popup) }
        emit(resumes ? .resumed : .shown(attempt: popups[popup].attempt), popup)
    }

    /// Moves the popup that has the slot into the queue: paused, or waiting if it was only offered.
    mutating func pauseActive(of group: GroupRecord.Index) {
        guard let popup = groups[group].active else { return }
        let wasOffered = popups[popup].isOffered
        vacate(popup)
        guard !wasOffered else { return backIntoQueue(popup) }
        popups[popup].rank = popups.nextPausedRank()
        ageFromPause(popup)
        popups[popup].phase = .paused
        groups.count(paused: 1, in: group)
        enqueue(popup)
        emit(.paused, popup)
    }

    /// Returns a popup that had the slot to the queue.
    mutating func backIntoQueue(_ popup: PopupRecord.Index) {
        groups.count(waiting: 1, in: popups[popup].group)
        popups[popup].phase = .waiting
        enqueue(popup)
        emit(.queued, popup)
    }

    /// Closes a live popup in any phase. `detail` is the action of a dismissal, otherwise the popup or renderer that
    /// caused it. A free slot is not filled: returns the departure of a popup that had the slot, and `leave` continues
    /// the group.
    @discardableResult
    mutating func close(
        _ popup: PopupRecord.Index, _ reason: CloseReason, detail: UnsafeRawBufferPointer = nothing
    ) -> Departure? {
        var departure: Departure?
        if popups[popup].holdsSlot { departure = vacate(popup) } else { leaveQueue(popup) }
        timers.cancel(popups[popup].expiry)
        let displayed = popups[popup].displayed
        let action = reason == .dismissed ? transaction.output.add(detail) : .none
        emit(.closed(reason, action: action, displayed: displayed), popup)
        remember(popup, reason, detail: detail, displayed: displayed)
        if transaction.updated == popup { transaction.updated = nil }
        discard(popup)
        return departure
    }

    /// Closes the popup that has the slot of a group, on behalf of the popup that takes it.
    mutating func closeActive(of group: GroupRecord.Index, _ reason: CloseReason, by popup: PopupRecord.Index) {
        if let active = groups[group].active { close(active, reason, detail: store[popups[popup].id]) }
    }

    /// Releases everything of a popup except its id.
    mutating func discard(_ popup: PopupRecord.Index) {
        popups.remove(popup, from: &groups[popups[popup].group].accepted)
        if popups[popup].holdsKey { popups.releaseKey(popup, hash: keyHash(of: popup)) }
        releaseRelations(of: popup)
        popups.removeRareFields(of: popup)
        let (account, bytes) = (popups[popup].account, store.usedBytes)
        store.release(popups[popup].body)
        let holder = accounts.mutableAddress(of: account)
        charge(holder, since: bytes)
        popups.remove(popup)
        holder.pointee.live -= 1
        accounts.forgetIfEmpty(account)
    }

    /// Closes a live popup. If it had the slot, its flow continues, or else the gap begins and the queue continues.
    mutating func leave(_ popup: PopupRecord.Index, _ reason: CloseReason, detail: UnsafeRawBufferPointer = nothing) {
        let group = popups[popup].group
        if let departure = close(popup, reason, detail: detail) {
            proceed(in: group, after: departure)
        } else {
            fillSlot(group)
        }
    }

    /// Fills the free slot with the first eligible popup of the queue. In a gap only a paused popup may take it; while
    /// a flow holds the slot, only a member of the flow.
    mutating func fillSlot(_ group: GroupRecord.Index) {
        resolveFlows()
        guard groups[group].active == nil, !closesTogether else { return }
        guard let popup = firstForSlot(of: group), groups[group].gap == nil || popups[popup].isPaused else { return }
        activate(popup)
    }

    /// Returns the first popup that may take the slot: of the flow that holds it, or else of the queue.
    func firstForSlot(of group: GroupRecord.Index) -> PopupRecord.Index? {
        if let holder = groups[group].holder { readyMember(of: holder) } else { firstEligible(of: group) }
    }

    /// Whether popups close together, or close for an exclusive newcomer. Until they have closed, no free slot is
    /// filled.
    private var closesTogether: Bool {
        if transaction.closing != nil { return true }
        if case .supersede? = transaction.work?.task { return true }
        return false
    }

    /// Whether a popup can take the slot at once.
    func isFree(_ group: GroupRecord.Index, for popup: PopupRecord.Index) -> Bool {
        let holder = groups[group].holder
        return groups[group].active == nil && groups[group].gap == nil
            && (holder == nil || holder == flow(of: popup))
    }

    /// Begins the group's gap, if its policy has one.
    mutating func beginGap(in group: GroupRecord.Index) {
        let length = policies.drawGap(under: groups[group].policy)
        guard length > 0 else { return }
        timers.cancel(groups[group].gap)
        groups[group].gap = timers.set(.gap(group), due: now + Milliseconds(length))
    }

    mutating func gapIsOver(in group: GroupRecord.Index) {
        markChanged(group)
        groups[group].gap = nil
        fillSlot(group)
    }

    /// Removes the popup that has the slot from it, and adds up its display time.
    @discardableResult
    @inline(__always)
    mutating func vacate(_ popup: PopupRecord.Index) -> Departure {
        let group = popups[popup].group
        markChanged(group, slot: true)
        var wasShown = false
        switch popups[popup].phase {
        case .offered(let timer):
            timers.cancel(timer)
        case .active(let since, _):
            wasShown = true
            stopClock(of: popup)
            popups[popup].displayed += now - since
            removeDisplays(popup)
        case .arriving, .delayed, .waiting, .paused:
            break
        }
        if let timer = groups[group].minimumDisplay {
            timers.cancel(timer)
            groups[group].minimumDisplay = nil
            _ = earlyAttempts.take(of: group)
        }
        timers.cancel(groups[group].displayTimeout)
        groups[group].displayTimeout = nil
        groups[group].advances = false
        groups[group].active = nil
        if popups[popup].rareFields != nil { popups.changeRareFields(of: popup) { $0.exemptUpTo = 0 } }
        popups[popup].phase = .arriving
        guard let index = popups[popup].relations else { return Departure(flow: nil, hold: 0, wasShown: wasShown) }
        return Departure(flow: popups.relations[index].flow, hold: popups.relations[index].hold, wasShown: wasShown)
    }

    /// Removes a waiting, paused or delayed popup from its place.
    @inline(__always)
    private mutating func leaveQueue(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        switch popups[popup].phase {
        case .arriving, .offered, .active: return
        case .delayed: return endDelay(of: popup)
        case .waiting:
            markChanged(group)
            groups.count(waiting: -1, in: group)
            dequeue(popup)
        case .paused:
            markChanged(group)
            groups.count(paused: -1, in: group)
            dequeue(popup)
        }
        popups[popup].phase = .arriving
    }
}
