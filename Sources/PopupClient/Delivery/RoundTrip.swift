/// How long a command goes without an acknowledgement until it is sent again: twice the round trip, within the
/// protocol's bounds.
///
/// Smoothed and backed off as RFC 6298 has it. By Karn's rule (its section 3) only commands that were sent once are
/// measured, and a time that proved too short stays doubled until one of them has been.
struct RoundTrip {
    /// Even where the broker answers in microseconds: a commit may wait for a disk.
    static let shortestTimeout: Duration = .milliseconds(250)
    static let longestTimeout: Duration = .seconds(5)

    private var smoothed: Duration?
    /// For a command that is sent for the first time.
    private(set) var timeout = Self.shortestTimeout

    /// A command that was sent once has been settled.
    mutating func measure(_ sample: Duration) {
        let smoothed = smoothed.map { $0 + (sample - $0) / 8 } ?? sample
        self.smoothed = smoothed
        timeout = Self.bounded(smoothed * 2)
    }

    /// A command has gone for so long without an acknowledgement.
    mutating func backOff(from timeout: Duration) {
        self.timeout = max(self.timeout, Self.bounded(timeout * 2))
    }

    /// The broker is there again: what was too short while it was away says nothing about the round trip.
    mutating func restart() {
        timeout = smoothed.map { Self.bounded($0 * 2) } ?? Self.shortestTimeout
    }

    static func bounded(_ timeout: Duration) -> Duration {
        min(max(timeout, shortestTimeout), longestTimeout)
    }
}
