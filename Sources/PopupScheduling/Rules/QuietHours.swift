// Quiet hours: daily windows in which popups below a priority are held back, as by a suspension. One timer a policy, at
// the next moment at which one of its windows may begin or end.
extension Scheduler {
    /// How many of the timers recur for ever: those of quiet hours.
    public var recurringTimerCount: Int { policies.quietCount }

    mutating func beginQuietHours(under policy: Int32) {
        guard !policies[policy].quiet.isEmpty else { return }
        policies[quietHours: policy].numbers = Array(repeating: 0, count: policies[policy].quiet.count)
        takeQuietHours(under: policy)
    }

    mutating func endQuietHours(under policy: Int32) {
        timers.cancel(policies[quietHours: policy].timer)
        policies[quietHours: policy] = QuietHours()
    }

    mutating func quietChanges(under policy: Int32) {
        takeQuietHours(under: policy)
        for group in orderedGroups() where groups[group].policy == policy {
            touch(group)
            thresholdChanged(in: group)
        }
    }

    /// Notes which windows are in force now, and sets the timer for the next change.
    private mutating func takeQuietHours(under policy: Int32) {
        var next = Milliseconds.max
        for (index, window) in policies[policy].quiet.enumerated() {
            let began = policies[quietHours: policy].numbers[index]
            if !window.isInForce(at: now) {
                policies[quietHours: policy].numbers[index] = 0
            } else if began == 0 {
                policies[quietHours: policy].numbers[index] = suspensions.nextNumber()
            }
            next = min(next, window.nextChange(after: now))
        }
        policies[quietHours: policy].timer = timers.set(.quiet, of: policy, due: next)
    }
}
