import PopupScheduling

/// The time of the loop, in ms.
///
///     decidedUntil ≤ now ≤ clock
struct LoopTime {
    /// The time up to which everything is decided. While a batch is in flight or being applied, it does not pass the
    /// time of that batch, which is applied before anything later.
    private(set) var now: Milliseconds
    /// The time of the clock.
    private(set) var clock: Milliseconds
    /// The time before which nothing is decided any more: that of the last committed batch, or the one up to which
    /// timers were handled while a batch was in flight.
    private(set) var decidedUntil = Milliseconds.min
    /// The time by which the caller's clock is behind: if it was set back since the journal was written, the time
    /// continues from that of the journal.
    let lag: Milliseconds
    /// The time at which the broker started.
    private let start: Milliseconds

    /// Begins at the caller's time, but not before that of the journal.
    init(at start: Milliseconds, journal: Milliseconds) {
        now = max(start, journal)
        clock = now
        lag = now - start
        self.start = now
    }

    /// The time in ms since the start.
    var uptime: Milliseconds { now - start }

    /// Sets the clock to the caller's time. It never goes back.
    mutating func setClock(_ time: Milliseconds) { clock = max(clock, time + lag) }

    /// Returns a time by the caller's clock.
    func byCallersClock(_ time: Milliseconds) -> Milliseconds { time - lag }

    /// Advances to a time, unless it has passed.
    mutating func advance(to time: Milliseconds) { now = max(now, time) }

    /// Returns to a time that has passed, but not before what is settled.
    mutating func goBack(to time: Milliseconds) { now = max(time, decidedUntil) }

    /// Records that nothing before a time is decided any more.
    mutating func markDecided(until time: Milliseconds) { decidedUntil = max(decidedUntil, time) }
}

extension Milliseconds? {
    /// Returns the earlier one of two times, of which either may be missing.
    @inline(__always)
    func orEarlier(_ other: Milliseconds?) -> Milliseconds? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}
