// Display time: what a popup asks for or the policy's default, never more than the policy's maximum.
extension Scheduler {
    /// In ms; 0: until dismissed.
    func displayTime(of popup: Int32, under policy: Policy) -> Milliseconds {
        let wanted = popups[popup].duration == 0 ? policy.defaultDuration : popups[popup].duration
        let most = policy.maximumDuration
        return Milliseconds(wanted == 0 || most == 0 ? max(wanted, most) : min(wanted, most))
    }

    func displayTime(of popup: Int32) -> Milliseconds {
        displayTime(of: popup, under: policies[groups[popups[popup].group].policy])
    }

    /// Display time left at `time`; `nil`: until dismissed.
    func remaining(of popup: Int32, at time: Milliseconds) -> Milliseconds? {
        let total = displayTime(of: popup)
        return total == 0 ? nil : max(0, total - popups[popup].used(at: time))
    }

    /// Sets the timer for what is left of its display time.
    mutating func setDisplayTimer(of popup: Int32) -> Int32 {
        guard let remaining = remaining(of: popup, at: now) else { return nobody }
        return timers.set(.display, of: popup, due: now + remaining)
    }

    mutating func timeOut(_ popup: Int32) {
        guard case .active(let since, _) = popups[popup].stage else { return }
        popups[popup].stage = .active(since: since, timer: nobody)
        leave(popup, .timedOut)
    }

    /// Holds a popup to its display time after that changed: it times out if it has used all of it, else its timer is
    /// set anew. Returns whether it is still live.
    mutating func adjustDisplayTime(of popup: Int32) -> Bool {
        let group = popups[popup].group
        let isOver = displayTime(of: popup) > 0 && remaining(of: popup, at: now) == 0
        switch popups[popup].stage {
        case .active(let since, let timer):
            touch(group, slot: true)
            timers.cancel(timer)
            popups[popup].stage = .active(since: since, timer: nobody)
            if !isOver { popups[popup].stage = .active(since: since, timer: setDisplayTimer(of: popup)) }
        case .paused:
            if policies[groups[group].policy].resumption == .restart { return true }
        case .arriving, .delayed, .waiting:
            return true
        }
        guard isOver else { return true }
        leave(popup, .timedOut)
        return false
    }
}
