/// The time after which a command without an acknowledgement is sent again: twice the round trip, within the bounds of the
/// protocol.
///
/// Smoothing and back-off follow RFC 6298. By Karn's algorithm (section 3), only commands that were sent once are measured,
/// and a doubled timeout stays until the next measurement.
struct RoundTrip {
    /// The shortest timeout, even if the broker answers in microseconds: a commit may wait for a disk.
    static let shortestTimeout: Duration = .milliseconds(250)
    static let longestTimeout: Duration = .seconds(5)

    private var smoothed: Duration?
    /// The timeout of a command that is sent for the first time.
    private(set) var timeout = Self.shortestTimeout

    /// Adds the round trip of a command that was sent once.
    mutating func measure(_ sample: Duration) {
        let smoothed = smoothed.map { $0 + (sample - $0) / 8 } ?? sample
        self.smoothed = smoothed
        timeout = Self.bounded(smoothed * 2)
    }

    /// Doubles the timeout after a command without an acknowledgement.
    mutating func backOff(from timeout: Duration) {
        self.timeout = max(self.timeout, Self.bounded(timeout * 2))
    }

    /// Resets the back-off after a reconnection: timeouts without a broker say nothing about the round trip.
    mutating func restart() {
        timeout = smoothed.map { Self.bounded($0 * 2) } ?? Self.shortestTimeout
    }

    static func bounded(_ timeout: Duration) -> Duration {
        min(max(timeout, shortestTimeout), longestTimeout)
    }
}
