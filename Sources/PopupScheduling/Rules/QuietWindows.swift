// Quiet windows: daily windows in which popups below a priority are held back, as by a suspension. Each policy has one
// timer, at the next instant at which one of its windows may begin or end.
//
// After `Limits.longestSilence` without commands the timers stop until the next command, and windows neither begin nor
// end. So advancing the clock by years takes no more steps than advancing it by two days.
extension Scheduler {
    /// The number of timers that recur forever: those of quiet windows.
    public var recurringTimerCount: Int { policies.quietCount }

    mutating func beginQuietWindows(under policy: PolicyTable.Index) {
        guard !policies[policy].quiet.isEmpty else { return }
        policies[quietWindows: policy].numbers = Array(repeating: 0, count: policies[policy].quiet.count)
        updateQuietWindows(under: policy)
    }

    mutating func endQuietWindows(under policy: PolicyTable.Index) {
        timers.cancel(policies[quietWindows: policy].timer)
        policies[quietWindows: policy] = QuietWindows()
    }

    mutating func quietChanges(under policy: PolicyTable.Index) {
        updateQuietWindows(under: policy)
        let pattern = policies.pattern(of: policy)
        perform(.quietWindows(policy: policy), in: pattern.withUnsafeBytes { groups(matching: $0) })
    }

    /// Sets the wall clock. Which windows are in force is determined again, one policy after the other.
    mutating func setWallClock(ahead: Milliseconds) {
        clock.setWallClock(ahead: ahead)
        for pattern in policies.patterns {
            guard let index = policies.index(ofPattern: pattern), !policies[index].quiet.isEmpty else { continue }
            timers.cancel(policies[quietWindows: index].timer)
            policies[quietWindows: index].timer = timers.set(.quiet(index), due: now)
        }
    }

    /// The wall-clock time of the current step.
    var wallTime: Milliseconds { clock.wallTime }

    /// Records which windows are in force now, and sets the timer for the next change.
    private mutating func updateQuietWindows(under policy: PolicyTable.Index) {
        var next = Milliseconds.max
        for (index, window) in policies[policy].quiet.enumerated() {
            let began = policies[quietWindows: policy].numbers[index]
            if !window.isInForce(at: wallTime) {
                policies[quietWindows: policy].numbers[index] = 0
            } else if began == 0 {
                policies[quietWindows: policy].numbers[index] = policies.suspensions.nextNumber()
            }
            next = min(next, window.nextChange(after: wallTime) - clock.lead)
        }
        if next - clock.lastInput > Limits.longestSilence {
            policies[quietWindows: policy].timer = nil
            policies.quietWindowsStopped = true
        } else {
            policies[quietWindows: policy].timer = timers.set(.quiet(policy), due: next)
        }
    }

    // MARK: - Without commands

    /// Resumes the quiet windows that stopped, by timers that are due now.
    mutating func resumeQuietWindows() {
        policies.quietWindowsStopped = false
        for pattern in policies.patterns {
            guard let index = policies.index(ofPattern: pattern), policies.hasStopped(index) else { continue }
            policies[quietWindows: index].timer = timers.set(.quiet(index), due: clock.lastInput)
        }
    }

    /// Whether the caller should call `recordIdleTime(at:into:)` if it is running, because quiet windows have stopped
    /// or would stop soon.
    public func wantsIdleRecord(at time: Milliseconds) -> Bool {
        guard popups.count > 0 else { return false }
        let isSilent = time - clock.lastInput >= Limits.longestSilence / 2
        return policies.quietWindowsStopped || isSilent && policies.quietCount > 0
    }

    /// Records that time passes without commands while the broker runs, as each command does. It belongs to the input
    /// that is replayed.
    public mutating func recordIdleTime(at now: Milliseconds, into output: inout EventBuffer) {
        beginCommand(at: now, into: &output)
        endCommand(into: &output)
    }
}
