import PopupScheduling

/// Taking the slot of a group, and leaving it.
extension ReferenceScheduler {
    /// Who would take the slot if it were given away now: during a hold only the flow's ready member, inside a gap only
    /// a paused popup.
    func candidate(for group: String) -> Popup? {
        if occupant(of: group) != nil { return nil }
        if let hold = holds[group] { return ready(of: hold.flow) }
        guard let best = bestEligible(of: group) else { return nil }
        return gaps[group] != nil && best.phase != .paused ? nil : best
    }

    func settle(_ group: String) {
        if let next = candidate(for: group) { takeSlot(next.id) }
    }

    /// Comes into the slot: resumed if it was paused, else offered if it has to be, else shown.
    func takeSlot(_ id: String, withoutOffer: Bool = false) {
        let popup = popups[id]!
        endGap(popup.group)
        endHold(popup.group)
        if let flow = popup.flow { heldUntil[flow] = nil }
        popups[id]!.mark = nil
        popups[id]!.keptBonus = bonus(popup)
        touched.append(id)
        changedInPlace.append(popup.group)
        if popup.phase == .paused {
            if policy(of: popup.group).resumption == .restart { popups[id]!.used = 0 }
            becomeActive(id)
        } else if !withoutOffer, offerTime(of: popup) > 0 {
            offer(id)
        } else {
            show(id)
        }
    }

    /// Shown, for the first time or once more.
    func show(_ id: String) {
        cancelTimer(.expiry(id))
        cancelTimer(.offer(id))
        popups[id]!.attempt += 1
        popups[id]!.dismissedBy = []
        touched.append(id)
        changedInPlace.append(popups[id]!.group)
        becomeActive(id)
        countShowing(popups[id]!)
    }

    private func becomeActive(_ id: String) {
        let popup = popups[id]!
        let group = popup.group
        popups[id]!.phase = .active
        popups[id]!.place.pausedAt = nil
        popups[id]!.activeSince = now
        emit(popup.phase == .paused ? .resumed : .shown(attempt: popup.attempt), id, in: group)
        runClock(id)
        if popup.request.minimumDisplay > 0 {
            popups[id]!.isProtected = true
            setTimer(.minimumDisplay(id), after: Milliseconds(popup.request.minimumDisplay))
        }
        let timeout = policy(of: group).displayTimeout
        if timeout > 0 { setTimer(.displayTimeout(id), after: Milliseconds(timeout)) }
    }

    // MARK: - Leaving

    /// The one in the slot gives way: an active one is paused and keeps what it has used, an offered one waits again.
    func giveWay(_ id: String) {
        if popups[id]!.phase == .offered { return waitAgain(id) }
        leaveSlot(id)
        let aging = Milliseconds(policy(of: popups[id]!.group).aging)
        let kept = bonus(popups[id]!)
        popups[id]!.age = kept == 0 ? now : now - min(kept, now / aging) * aging
        popups[id]!.keptBonus = nil
        popups[id]!.phase = .paused
        popups[id]!.place.pausedAt = nextNumber()
        emit(.paused, id, in: popups[id]!.group)
    }

    /// From the slot back into the queue.
    func waitAgain(_ id: String) {
        leaveSlot(id)
        popups[id]!.phase = .waiting
        popups[id]!.keptBonus = nil
        popups[id]!.used = 0
        emit(.queued, id, in: popups[id]!.group)
    }

    /// From the slot back into the queue for good reason: its flow goes on, else the queue.
    func goBack(_ id: String) {
        let popup = popups[id]!
        waitAgain(id)
        if let flow = popup.flow {
            if let next = ready(of: flow) { return takeSlot(next.id) }
            if keepsSlot(flow, isFollowedByGap: false) { return }
        }
        settle(popup.group)
    }

    func leaveSlot(_ id: String) {
        stopClock(id)
        if popups[id]!.phase == .active { popups[id]!.displayed += now - popups[id]!.activeSince }
        popups[id]!.isProtected = false
        popups[id]!.advanceIsPending = false
        popups[id]!.exemptions = []
        popups[id]!.exemptWindows = []
        popups[id]!.displayedBy = []
        popups[id]!.visibleTo = []
        for purpose: Timer.Purpose in [.display(id), .minimumDisplay(id), .displayTimeout(id), .offer(id)] {
            cancelTimer(purpose)
        }
        dropMarks(popups[id]!.group)
    }

    func dropMarks(_ group: String) {
        for other in popups(of: group) { popups[other.id]!.mark = nil }
    }

    // MARK: - Display time

    /// In ms, 0: until dismissed.
    func displayTime(_ popup: Popup) -> Milliseconds {
        let policy = policy(of: popup.group)
        let wanted = Milliseconds(popup.duration == 0 ? policy.defaultDuration : popup.duration)
        let most = Milliseconds(policy.maxDuration)
        if most == 0 { return wanted }
        return wanted == 0 ? most : min(wanted, most)
    }

    /// Display time used up.
    func used(_ popup: Popup, at time: Milliseconds) -> Milliseconds {
        popup.used + (popup.clockSince.map { time - $0 } ?? 0)
    }

    /// Lets the display time of the active popup run or stand, as its policy and its renderers say.
    func runClock(_ id: String) {
        let popup = popups[id]!
        let runs = policy(of: popup.group).clock == .display || !popup.visibleTo.isEmpty
        if !runs { return stopClock(id) }
        if popup.clockSince == nil {
            popups[id]!.clockSince = now
            armDisplay(id)
        }
    }

    private func stopClock(_ id: String) {
        popups[id]!.used = used(popups[id]!, at: now)
        popups[id]!.clockSince = nil
        cancelTimer(.display(id))
    }

    func armDisplay(_ id: String) {
        cancelTimer(.display(id))
        let popup = popups[id]!
        let whole = displayTime(popup)
        if whole > 0, popup.clockSince != nil { setTimer(.display(id), after: whole - used(popup, at: now)) }
    }

    func isUsedUp(_ popup: Popup) -> Bool {
        let whole = displayTime(popup)
        if whole == 0 || used(popup, at: now) < whole { return false }
        switch popup.phase {
        case .active: return true
        case .paused: return policy(of: popup.group).resumption == .remaining
        case .delayed, .waiting, .offered, .closed: return false
        }
    }

    /// What came too early acts now, if it still would: `advance` first, else the best of the queue.
    func minimumDisplayEnds(_ id: String) {
        popups[id]!.isProtected = false
        let active = popups[id]!
        if active.advanceIsPending { return finish(id, .advanced) }
        let best = queue(of: active.group).first { $0.mark != nil && isEligible($0) }
        dropMarks(active.group)
        guard let best else { return }
        switch verdict(on: best, against: active, isNewcomer: best.mark == .newcomer) {
        case .stop: preempt(active, by: best.id, stop: true)
        case .pause: preempt(active, by: best.id, stop: false)
        case .wait, .never, .tooEarly: break
        }
    }

    // MARK: - Gaps

    func startGap(_ group: String) {
        let length = generator.draw(policy(of: group).gap)
        guard length > 0 else { return }
        setTimer(.gap(group), after: Milliseconds(length))
        gaps[group] = now + Milliseconds(length)
    }

    func endGap(_ group: String) {
        cancelTimer(.gap(group))
        gaps[group] = nil
    }

    func gapEnds(_ group: String) {
        gaps[group] = nil
        settle(group)
    }
}
