// Quiet hours: daily windows in which popups below a priority are held back, as by a suspension. One timer a policy, at
// the next moment at which one of its windows may begin or end.
//
// When nothing has been told for long, they rest: what is in force stays so until the next command. So letting years
// pass takes no more steps than letting two days pass.
extension Scheduler {
    /// How many of the timers recur for ever: those of quiet hours.
    public var recurringTimerCount: Int { policies.quietCount }

    mutating func beginQuietHours(under policy: PolicyTable.Index) {
        guard !policies[policy].quiet.isEmpty else { return }
        policies[quietHours: policy].numbers = Array(repeating: 0, count: policies[policy].quiet.count)
        takeQuietHours(under: policy)
    }

    mutating func endQuietHours(under policy: PolicyTable.Index) {
        timers.cancel(policies[quietHours: policy].timer)
        policies[quietHours: policy] = QuietHours()
    }

    mutating func quietChanges(under policy: PolicyTable.Index) {
        takeQuietHours(under: policy)
        perform(.quietHours(policy: policy), in: policies.pattern(of: policy).withUnsafeBytes { groups(matching: $0) })
    }

    /// Sets the wall clock: which windows are in force is looked at anew, under one policy after the other.
    mutating func setWallClock(ahead: Milliseconds) {
        clock.setWallClock(ahead: ahead)
        for pattern in policies.patterns {
            guard let place = policies.place(ofPattern: pattern), !policies[place].quiet.isEmpty else { continue }
            timers.cancel(policies[quietHours: place].timer)
            policies[quietHours: place].timer = timers.set(.quiet(place), due: now)
        }
    }

    /// What the wall clock shows in the present step.
    var wallTime: Milliseconds { clock.wallTime }

    /// Notes which windows are in force now, and sets the timer for the next change.
    private mutating func takeQuietHours(under policy: PolicyTable.Index) {
        var next = Milliseconds.max
        for (index, window) in policies[policy].quiet.enumerated() {
            let began = policies[quietHours: policy].numbers[index]
            if !window.isInForce(at: wallTime) {
                policies[quietHours: policy].numbers[index] = 0
            } else if began == 0 {
                policies[quietHours: policy].numbers[index] = policies.suspensions.nextNumber()
            }
            next = min(next, window.nextChange(after: wallTime) - clock.lead)
        }
        if next - clock.attended > Limits.longestSilence {
            policies[quietHours: policy].timer = nil
            policies.quietHoursRest = true
        } else {
            policies[quietHours: policy].timer = timers.set(.quiet(policy), due: next)
        }
    }

    // MARK: - While nobody tells anything

    /// Lets quiet hours that rested be brought up to date, by timers that are due now: something is told.
    mutating func endRest() {
        policies.quietHoursRest = false
        for pattern in policies.patterns {
            guard let place = policies.place(ofPattern: pattern), policies.rests(place) else { continue }
            policies[quietHours: place].timer = timers.set(.quiet(place), due: clock.attended)
        }
    }

    /// Whether somebody who is there should say so by `attend(at:into:)`: else quiet hours would rest before long, or
    /// do.
    public func wantsAttendance(at time: Milliseconds) -> Bool {
        guard popups.count > 0 else { return false }
        return policies.quietHoursRest || time - clock.attended >= Limits.longestSilence / 2 && policies.quietCount > 0
    }

    /// Says that somebody is there, as each command does. It belongs to what is replayed, as commands do.
    public mutating func attend(at now: Milliseconds, into output: inout EventBuffer) {
        beginCommand(at: now, into: &output)
        endCommand(into: &output)
    }
}
