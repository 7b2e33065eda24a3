/// The scheduler's time, which advances with its steps, and the wall clock.
struct Clock {
    /// The time of the current step, or of the last one.
    private(set) var now: Milliseconds = 0
    /// The time of the last command, or of the last call of `recordIdleTime`.
    var lastInput: Milliseconds = 0
    /// The time by which the wall clock is ahead. Quiet windows and the times of events follow the wall clock,
    /// durations do not.
    private(set) var lead: Milliseconds = 0

    /// Creates a clock at time 0.
    init() {}

    /// Creates a clock whose last step was at a time.
    init(now: Milliseconds) {
        self.now = now
    }

    /// The wall-clock time of the current step.
    @inline(__always)
    var wallTime: Milliseconds { now + lead }

    /// Advances to the time of a step. An earlier time has no effect.
    @inline(__always)
    mutating func advance(to time: Milliseconds) {
        now = max(now, time)
    }

    /// Sets the wall clock, within the limits of times.
    mutating func setWallClock(ahead lead: Milliseconds) {
        self.lead = min(max(lead, -TimeLimits.latest), TimeLimits.latest)
    }
}
