import PopupScheduling

/// The requests to a shared journal for a later limit, since timers beyond the limit must not be handled.
///
///     limit ────────── wake-up ─── timer
///                      └ notice ─┘        asked for once per limit
struct TimeReservation {
    /// The time in ms before a timer at which a later limit is asked for.
    private static let notice: Milliseconds = 1000

    /// The limit at which a later one was asked for.
    private var askedAt: Milliseconds?

    init() {}

    /// Returns the time at which there is something to do for a timer: to handle it if it is due within the limit,
    /// otherwise to ask for a later limit; `nil` if that is under way.
    func wakeUp(forTimerDue due: Milliseconds, limit: Milliseconds) -> Milliseconds? {
        guard due > limit else { return due }
        return askedAt == limit ? nil : due - Self.notice
    }

    /// Whether a later limit has to be asked for now, because of a timer.
    func isDue(forTimerDue due: Milliseconds, limit: Milliseconds, at clock: Milliseconds) -> Bool {
        due > limit && wakeUp(forTimerDue: due, limit: limit).map { $0 <= clock } ?? false
    }

    /// Records that a later limit is asked for.
    mutating func begin(limit: Milliseconds) { askedAt = limit }
}
