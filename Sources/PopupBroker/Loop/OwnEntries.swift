import PopupScheduling
import PopupState

/// The entries that the broker adds to the journal of itself: the wall clock when it was set, and the time for which it
/// runs without commands. Each is added again until it is committed, but not with every turn.
struct OwnEntries {
    /// The time in ms after which the record of idle time is retried.
    private static let idleRetryDelay: Milliseconds = 60_000

    private var wallClock = WallClockWatch()
    /// The time at which a record of idle time was last added.
    private var idleRecordedAt = Milliseconds.min / 2

    init() {}

    /// Returns the entry for the wall clock, if it differs from the journaled lead and was not added within the last
    /// second.
    mutating func wallClock(
        ahead lead: Milliseconds, journaled: Milliseconds, at clock: Milliseconds
    ) -> WallClockEntry? {
        let entry = WallClockEntry(ahead: lead)
        return wallClock.shouldRecord(entry.ahead, journaled: journaled, at: clock) ? entry : nil
    }

    /// Whether to log an entry for the wall clock: once, however often it is added.
    mutating func shouldLog(_ entry: WallClockEntry) -> Bool { wallClock.shouldLog(entry.ahead) }

    /// Whether idle time may be recorded now: it was not within the last minute. Then it counts as recorded.
    mutating func shouldRecordIdleTime(at now: Milliseconds) -> Bool {
        guard now - idleRecordedAt >= Self.idleRetryDelay else { return false }
        idleRecordedAt = now
        return true
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
