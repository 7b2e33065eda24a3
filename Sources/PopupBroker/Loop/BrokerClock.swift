public import PopupScheduling
import SystemCalls

/// Tells the broker the time. It never goes back.
public protocol BrokerClock: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    func now() -> Milliseconds
}

/// The wall clock at its start, and from then on the time that has passed, that of a suspended machine included: what sets
/// the wall clock later, forward or back, neither fires timers early nor holds them up.
public struct SystemClock: BrokerClock {
    private let offset: Milliseconds

    /// A clock set by the wall clock now.
    public init() {
        offset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_BOOTTIME)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public func now() -> Milliseconds { TimeLimits.nearest(to: Self.read(CLOCK_BOOTTIME) + offset) }

    private static func read(_ clock: clockid_t) -> Milliseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        // A wall clock can be set to any number of seconds that there is.
        let seconds = min(Milliseconds(time.tv_sec), TimeLimits.latest / 1000)
        return max(seconds, 0) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}
