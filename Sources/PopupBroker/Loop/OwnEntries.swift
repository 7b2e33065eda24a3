import PopupScheduling
import PopupState

/// The entries that the broker itself adds to the journal: the wall clock when it was set, and the time for which it
/// runs without commands. Each is added again until it is committed, but not with every turn.
struct OwnEntries {
    /// The difference in ms between the wall clock and the journaled one that is recorded. Slewing changes the wall
    /// clock by less, setting it by more.
    private static let wallClockStep: Milliseconds = 500
    /// The time in ms after which the record of the wall clock is retried.
    private static let wallClockRetryDelay: Milliseconds = 1000
    /// The time in ms after which the record of idle time is retried.
    private static let idleRetryDelay: Milliseconds = 60_000

    /// The time at which a record of the wall clock was last added.
    private var wallClockRecordedAt = Milliseconds.min / 2
    /// The lead of the wall clock in the last log line.
    private var loggedLead: Milliseconds?
    /// The time at which a record of idle time was last added.
    private var idleRecordedAt = Milliseconds.min / 2

    init() {}

    /// Whether two leads of the wall clock differ by so much that it was set between them.
    static func isSet(_ lead: Milliseconds, from former: Milliseconds) -> Bool { abs(lead - former) >= wallClockStep }

    /// Returns the entry for the wall clock, if it differs from the journaled lead and was not added within the last
    /// second.
    mutating func wallClock(
        ahead lead: Milliseconds, journaled: Milliseconds, at clock: Milliseconds
    ) -> WallClockEntry? {
        let entry = WallClockEntry(ahead: lead)
        guard Self.isSet(entry.ahead, from: journaled), clock - wallClockRecordedAt >= Self.wallClockRetryDelay else {
            return nil
        }
        wallClockRecordedAt = clock
        return entry
    }

    /// Whether to log an entry for the wall clock: once, however often it is added.
    mutating func shouldLog(_ entry: WallClockEntry) -> Bool {
        if let loggedLead, !Self.isSet(entry.ahead, from: loggedLead) { return false }
        loggedLead = entry.ahead
        return true
    }

    /// Whether idle time may be recorded now: it was not within the last minute. Then it counts as recorded.
    mutating func shouldRecordIdleTime(at now: Milliseconds) -> Bool {
        guard now - idleRecordedAt >= Self.idleRetryDelay else { return false }
        idleRecordedAt = now
        return true
    }
}
