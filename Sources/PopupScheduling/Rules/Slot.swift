// The slot of a group: who takes it, who leaves it, and what follows.
extension Scheduler {
    /// Gives the free slot to a popup that is arriving or in the line.
    mutating func activate(_ popup: Int32, exempt: Bool = false) {
        let group = popups[popup].group
        touch(group, slot: true)
        timers.cancel(groups[group].gap)
        groups[group].gap = nobody

        let resumes = popups[popup].isPaused
        leaveLine(popup)
        timers.cancel(popups[popup].expiry)
        popups[popup].expiry = nobody
        if resumes {
            if policies[groups[group].policy].resumption == .restart { popups[popup].used = 0 }
        } else {
            popups[popup].attempt += 1
        }

        activations += 1
        groups[group].active = popup
        groups[group].activation = activations
        popups[popup].exemptUpTo = exempt ? suspensions.latest : 0
        popups[popup].sinceRevision = upcomingRevision(of: group)
        popups[popup].stage = .active(since: now, timer: setDisplayTimer(of: popup))
        let minimum = popups[popup].minimumDisplay
        if minimum > 0 {
            groups[group].minimumDisplay = timers.set(.minimumDisplay, of: group, due: now + Milliseconds(minimum))
        }
        emit(resumes ? .resumed : .shown(attempt: popups[popup].attempt), popup)
    }

    /// Takes the slot from the active popup, which goes into the line.
    mutating func pauseActive(of group: Int32) {
        let popup = groups[group].active
        vacate(popup)
        pauses += 1
        popups[popup].rank = -pauses
        popups[popup].stage = .paused
        groups[group].paused += 1
        enqueue(popup)
        emit(.paused, popup)
    }

    /// Ends a live popup, wherever it is. A slot that falls free stays so: `leave` is for what follows.
    mutating func close(
        _ popup: Int32, _ reason: CloseReason,
        action: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        if popups[popup].isActive { vacate(popup) } else { leaveLine(popup) }
        timers.cancel(popups[popup].expiry)
        let displayed = popups[popup].displayed
        emit(.closed(reason, action: output.add(action), displayed: displayed), popup)
        remember(popup, reason, action: action, displayed: displayed)

        strike(popup)
        if step.updated == popup { step.updated = nobody }
        if popups[popup].holdsKey { keys.remove(popup, hash: popups[popup].keyHash) }
        store.release(popups[popup].body)
        popups.remove(popup)
    }

    /// Ends a live popup; if it was active, the gap begins and the line goes on.
    mutating func leave(
        _ popup: Int32, _ reason: CloseReason,
        action: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        let group = popups[popup].group
        let wasActive = popups[popup].isActive
        close(popup, reason, action: action)
        if wasActive { beginGap(in: group) }
        settle(group)
    }

    /// Fills the free slot with the first of the line that may be shown. In a gap only a paused one may.
    mutating func settle(_ group: Int32) {
        guard groups[group].active == nobody else { return }
        let popup = firstEligible(of: group)
        guard popup != nobody, groups[group].gap == nobody || popups[popup].isPaused else { return }
        activate(popup)
    }

    /// Whether the slot can be taken at once.
    func isFree(_ group: Int32) -> Bool {
        groups[group].active == nobody && groups[group].gap == nobody
    }

    /// Begins the group's gap, if its policy has one.
    mutating func beginGap(in group: Int32) {
        let length = generator.next(in: policies[groups[group].policy].gap)
        guard length > 0 else { return }
        timers.cancel(groups[group].gap)
        groups[group].gap = timers.set(.gap, of: group, due: now + Milliseconds(length))
    }

    mutating func gapIsOver(in group: Int32) {
        touch(group)
        groups[group].gap = nobody
        settle(group)
    }

    /// Takes the active popup out of its slot and counts its time.
    private mutating func vacate(_ popup: Int32) {
        guard case .active(let since, let timer) = popups[popup].stage else { return }
        let group = popups[popup].group
        touch(group, slot: true)
        timers.cancel(timer)
        timers.cancel(groups[group].minimumDisplay)
        groups[group].minimumDisplay = nobody
        groups[group].advances = false
        groups[group].active = nobody
        popups[popup].used += now - since
        popups[popup].displayed += now - since
        popups[popup].exemptUpTo = 0
        popups[popup].stage = .arriving
    }

    /// Takes a popup out of wherever it waits.
    private mutating func leaveLine(_ popup: Int32) {
        let group = popups[popup].group
        switch popups[popup].stage {
        case .arriving, .active: return
        case .delayed(let arrival):
            touch(group)
            timers.cancel(arrival)
            groups[group].delayed -= 1
            groups[group].waiting -= 1
        case .waiting:
            touch(group)
            groups[group].waiting -= 1
            dequeue(popup)
        case .paused:
            touch(group)
            groups[group].paused -= 1
            dequeue(popup)
        }
        popups[popup].stage = .arriving
    }
}
