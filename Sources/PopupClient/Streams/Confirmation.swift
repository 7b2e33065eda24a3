/// Whether the broker confirms what it has said: a connection alone does not show that it still runs, and owns its journal.
/// What an overtaken node says does not count.
struct Confirmation {
    private let timeout: Duration?
    private var heard: ContinuousClock.Instant?
    private var isExpired = false

    /// Creates one of which nothing was heard.
    ///
    /// - Parameter timeout: The time without a message after which it expires; `nil`: it never does.
    init(timeout: Duration?) {
        self.timeout = timeout
    }

    /// The time at which to call `expire`; `nil` before the first message, and after `expire` returned `true`.
    var deadline: ContinuousClock.Instant? {
        guard let heard, let timeout, !isExpired else { return nil }
        return heard + timeout
    }

    /// Records a message of the broker.
    ///
    /// - Returns: Whether it had expired.
    mutating func recordMessage(at now: ContinuousClock.Instant) -> Bool {
        heard = now
        defer { isExpired = false }
        return isExpired
    }

    /// Lets the confirmation expire if nothing was heard for the timeout.
    ///
    /// - Returns: Whether it expired now.
    mutating func expire(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        isExpired = true
        return true
    }
}
