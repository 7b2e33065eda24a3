/// The waits between the connections of a stream.
struct Reconnection {
    private var failures = 0
    /// The time since which there has been no healthy connection.
    private var lost: ContinuousClock.Instant

    /// Begins before the first connection.
    init(at now: ContinuousClock.Instant) {
        lost = now
    }

    /// Returns the longest wait before the next connection, after one has ended. It doubles with each failure.
    ///
    /// - Parameters:
    ///   - began: The time when the connection was tried.
    ///   - isSynced: Whether all states came.
    mutating func longestWait(
        afterConnectionFrom began: ContinuousClock.Instant, to now: ContinuousClock.Instant, isSynced: Bool
    ) -> Duration {
        // A stream that ends at once is a failure, too: no loop without a wait.
        if isSynced, now - began > Self.healthy {
            (failures, lost) = (0, now)
        } else {
            failures += 1
        }
        // A gateway that restarts is back within seconds, however long the stream lasted before.
        let most = now - lost < Self.shortOutage ? Self.mostAtFirst : Self.most
        return min(most, .milliseconds(500 << min(failures, 6)))
    }

    private static let healthy: Duration = .seconds(1)
    private static let shortOutage: Duration = .seconds(120)
    /// The longest wait while an outage is short.
    static let mostAtFirst: Duration = .seconds(4)
    private static let most: Duration = .seconds(30)
}
