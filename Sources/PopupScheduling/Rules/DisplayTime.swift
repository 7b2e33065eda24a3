// Display time: that of the popup, or else the policy's default, limited by the policy's maximum. Depending on the
// policy's clock it elapses while the popup is active, or only while a renderer reports it visible.
extension Scheduler {
    /// Returns the display time in ms; 0 if it lasts until the popup is dismissed.
    @inline(__always)
    func displayTime(of popup: PopupRecord.Index, _ fallback: UInt32, atMost most: UInt32) -> Milliseconds {
        PolicyTable.displayTime(popups[popup].duration, fallback, atMost: most)
    }

    /// Returns the display time in ms under the group's policy; 0 if it lasts until the popup is dismissed.
    @inline(__always)
    func displayTime(of popup: PopupRecord.Index) -> Milliseconds {
        policies.displayTime(popups[popup].duration, under: groups[popups[popup].group].policy)
    }

    /// Returns the remaining display time at `time`; `nil` if it lasts until the popup is dismissed.
    @inline(__always)
    func remaining(of popup: PopupRecord.Index, at time: Milliseconds) -> Milliseconds? {
        let total = displayTime(of: popup)
        return total == 0 ? nil : max(0, total - popups[popup].used(at: time))
    }

    /// Starts the clock of the active popup's display time.
    @inline(__always)
    mutating func startClock(of popup: PopupRecord.Index) {
        guard case .active(let since, _) = popups[popup].phase, popups[popup].clockSince == PopupRecord.stopped else {
            return
        }
        popups[popup].clockSince = now
        let timer = remaining(of: popup, at: now).map { timers.set(.display(popup), due: now + $0) }
        popups[popup].phase = .active(since: since, timer: timer)
    }

    /// Stops the clock of the active popup's display time.
    @inline(__always)
    mutating func stopClock(of popup: PopupRecord.Index) {
        guard case .active(let since, let timer) = popups[popup].phase else { return }
        popups[popup].used = popups[popup].used(at: now)
        popups[popup].clockSince = PopupRecord.stopped
        timers.cancel(timer)
        popups[popup].phase = .active(since: since, timer: nil)
    }

    mutating func timeOut(_ popup: PopupRecord.Index) {
        guard case .active(let since, _) = popups[popup].phase else { return }
        popups[popup].phase = .active(since: since, timer: nil)
        leave(popup, .timedOut)
    }

    /// Applies a changed display time or clock: the popup times out if its display time is used up, otherwise its timer
    /// is set again. Returns whether the popup is still live.
    mutating func adjustDisplayTime(of popup: PopupRecord.Index) -> Bool {
        let group = popups[popup].group
        let isOver = displayTime(of: popup) > 0 && remaining(of: popup, at: now) == 0
        switch popups[popup].phase {
        case .active:
            markChanged(group, slot: true)
            stopClock(of: popup)
            if !isOver, isSeen(popup) { startClock(of: popup) }
        case .paused:
            if policies[groups[group].policy].resumption == .restart { return true }
        case .offered:
            markChanged(group, slot: true)
            return true
        case .arriving, .delayed, .waiting:
            return true
        }
        guard isOver else { return true }
        leave(popup, .timedOut)
        return false
    }

    /// Whether the display time of the active popup elapses under the policy's clock.
    func isSeen(_ popup: PopupRecord.Index) -> Bool {
        guard policies[groups[popups[popup].group].policy].clock == .visible else { return true }
        guard let index = popups[popup].relations else { return false }
        return popups.relations[index].views > 0
    }
}
