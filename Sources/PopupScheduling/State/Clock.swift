/// The scheduler's time, which is that of its steps, and the wall clock's.
struct Clock {
    /// The time of the present step, or of the last one.
    private(set) var now: Milliseconds = 0
    /// When the last command came, or somebody said to be there.
    var attended: Milliseconds = 0
    /// By how much the wall clock is ahead. Quiet windows and the times of events go by the wall clock, durations do
    /// not.
    private(set) var lead: Milliseconds = 0

    /// A clock that was never set.
    init() {}

    /// A clock whose last step was at a time.
    init(now: Milliseconds) {
        self.now = now
    }

    /// What the wall clock shows in the present step.
    @inline(__always)
    var wallTime: Milliseconds { now + lead }

    /// Goes to the time of a step. It never goes back.
    @inline(__always)
    mutating func advance(to time: Milliseconds) {
        now = max(now, time)
    }

    /// Sets the wall clock, which is never farther away than the last time that there is.
    mutating func setWallClock(ahead lead: Milliseconds) {
        self.lead = min(max(lead, -TimeLimits.latest), TimeLimits.latest)
    }
}
