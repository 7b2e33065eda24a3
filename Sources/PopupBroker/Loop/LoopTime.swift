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

    /// Begins at the caller's time, but not before that of the journal.
    init(at start: Milliseconds, journal: Milliseconds) {
        now = max(start, journal)
        clock = now
        lag = now - start
    }

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

/// The wall clock's way into the journal: it is recorded when it was set.
struct WallClockWatch {
    /// The difference in ms between the wall clock and the journaled one that is recorded. Slewing changes the wall
    /// clock by less, setting it by more.
    private static let step: Milliseconds = 500
    /// The time in ms after which recording is retried.
    private static let retryDelay: Milliseconds = 1000

    /// The time at which it was last added to a batch.
    private var recordedAt = Milliseconds.min / 2
    /// The lead in the last log line.
    private var loggedLead: Milliseconds?

    init() {}

    /// Whether two leads of the wall clock differ by so much that it was set between them.
    static func isSet(_ lead: Milliseconds, from former: Milliseconds) -> Bool { abs(lead - former) >= step }

    /// Whether to record a lead now: it differs from the journaled one, and was not recorded within the last second.
    mutating func shouldRecord(_ lead: Milliseconds, journaled: Milliseconds, at clock: Milliseconds) -> Bool {
        guard Self.isSet(lead, from: journaled), clock - recordedAt >= Self.retryDelay else { return false }
        recordedAt = clock
        return true
    }

    /// Whether to log a lead: it is logged once, however often recording is retried.
    mutating func shouldLog(_ lead: Milliseconds) -> Bool {
        if let loggedLead, !Self.isSet(lead, from: loggedLead) { return false }
        loggedLead = lead
        return true
    }
}
