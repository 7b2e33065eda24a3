import PopupScheduling

/// Taking the slot of a group, and leaving it.
extension ReferenceScheduler {
    /// Gives a free slot to the best of the line. Inside a gap only a paused popup takes it.
    func settle(_ group: String) {
        guard active(of: group) == nil, let best = bestEligible(of: group) else { return }
        if gaps[group] != nil && best.phase != .paused { return }
        activate(best.id)
    }

    func activate(_ id: String) {
        var popup = popups[id]!
        endGap(popup.group)
        cancelTimer(.expiry(id))
        let isBack = popup.phase == .paused
        if isBack {
            if policy(of: popup.group).resumption == .restart { popup.used = 0 }
        } else {
            popup.attempt += 1
        }
        popup.phase = .active
        popup.mark = nil
        popup.activeSince = now
        popups[id] = popup
        touched.append(id)
        emit(isBack ? .resumed : .shown(attempt: popup.attempt), id, in: popup.group)
        armDisplay(id)
        if popup.request.minimumDisplay > 0 {
            popups[id]!.isProtected = true
            setTimer(.minimumDisplay(id), after: Milliseconds(popup.request.minimumDisplay))
        }
    }

    /// The active popup gives way and keeps what it has used.
    func pause(_ id: String) {
        leaveSlot(id)
        popups[id]!.phase = .paused
        popups[id]!.place = Popup.Place(isPaused: true, number: nextNumber())
        emit(.paused, id, in: popups[id]!.group)
    }

    func close(_ id: String, _ reason: CloseReason, action: String = "") {
        if popups[id]!.phase == .active { leaveSlot(id) }
        let popup = popups.removeValue(forKey: id)!
        cancelTimer(.arrival(id))
        cancelTimer(.expiry(id))
        closed[id] = Closed(
            group: popup.group, reason: reason, action: action, at: now, displayed: popup.displayed)
        emit(.closed(reason, action: action, displayed: popup.displayed), id, in: popup.group)
    }

    /// Closes a popup for good reason: when it was the active one, a gap follows.
    func closeWithGap(_ id: String, _ reason: CloseReason, action: String = "") {
        let popup = popups[id]!
        close(id, reason, action: action)
        if popup.phase == .active { startGap(popup.group) }
    }

    private func leaveSlot(_ id: String) {
        let popup = popups[id]!
        popups[id]!.displayed += now - popup.activeSince
        popups[id]!.used += now - popup.activeSince
        popups[id]!.isProtected = false
        popups[id]!.advanceIsPending = false
        popups[id]!.exemptions = []
        cancelTimer(.display(id))
        cancelTimer(.minimumDisplay(id))
        dropMarks(popup.group)
    }

    func dropMarks(_ group: String) {
        for other in popups.values where other.group == group { popups[other.id]!.mark = nil }
    }

    /// A popup takes the slot of the active one.
    func preempt(_ active: Popup, by id: String, stop: Bool) {
        if stop {
            close(active.id, .preempted)
        } else {
            pause(active.id)
        }
        activate(id)
    }

    /// One that is there already would like to have the slot. Says whether it got it.
    @discardableResult
    func promote(_ id: String) -> Bool {
        guard let popup = popups[id], isEligible(popup), let active = active(of: popup.group) else { return false }
        switch verdict(on: popup, against: active, isNewcomer: false) {
        case .stop: preempt(active, by: id, stop: true)
        case .pause: preempt(active, by: id, stop: false)
        case .tooEarly:
            popups[id]!.mark = popup.mark ?? .promotion
            return false
        case .wait, .never: return false
        }
        return true
    }

    // MARK: - Display time

    /// Display time used up, of the active or a paused popup.
    func used(_ popup: Popup) -> Milliseconds {
        popup.phase == .active ? popup.used + now - popup.activeSince : popup.used
    }

    func armDisplay(_ id: String) {
        cancelTimer(.display(id))
        let popup = popups[id]!
        let whole = displayTime(popup)
        if whole > 0 { setTimer(.display(id), after: whole - used(popup)) }
    }

    func isUsedUp(_ popup: Popup) -> Bool {
        let whole = displayTime(popup)
        switch popup.phase {
        case .active: return whole > 0 && used(popup) >= whole
        case .paused: return whole > 0 && used(popup) >= whole && policy(of: popup.group).resumption == .remaining
        case .delayed, .waiting, .offered, .closed: return false
        }
    }

    func displayTimeEnds(_ id: String) {
        let group = popups[id]!.group
        closeWithGap(id, .timedOut)
        settle(group)
    }

    func expires(_ id: String) {
        let group = popups[id]!.group
        close(id, .expired)
        settle(group)
    }

    /// What came too early acts now, if it still would: `advance` first, else the best of the line.
    func minimumDisplayEnds(_ id: String) {
        popups[id]!.isProtected = false
        let active = popups[id]!
        if active.advanceIsPending {
            closeWithGap(id, .advanced)
            settle(active.group)
        } else if let best = line(of: active.group).first(where: { $0.mark != nil && isEligible($0) }) {
            dropMarks(active.group)
            switch verdict(on: best, against: active, isNewcomer: best.mark == .newcomer) {
            case .stop: preempt(active, by: best.id, stop: true)
            case .pause: preempt(active, by: best.id, stop: false)
            case .wait, .never, .tooEarly: break
            }
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
