public import PopupScheduling
import SystemCalls

/// Tells the broker the time. It never goes back.
public protocol BrokerClock: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    func now() -> Milliseconds

    /// In ms: what the wall clock is ahead of `now` at present. It changes when the wall clock is set.
    func wallClockLead() -> Milliseconds
}

extension BrokerClock {
    /// 0: `now` is the wall clock.
    public func wallClockLead() -> Milliseconds { 0 }
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

    /// What the wall clock has been set by since the beginning.
    public func wallClockLead() -> Milliseconds {
        let before = now()
        let lead = Self.read(CLOCK_REALTIME) - before
        // Held up between the two readings, the thread would take that for a setting.
        return now() - before < Self.longestReading ? lead : Self.read(CLOCK_REALTIME) - now()
    }

    /// In ms: reading both clocks takes less, unless the thread is held up.
    private static let longestReading: Milliseconds = 10

    private static func read(_ clock: clockid_t) -> Milliseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        // A wall clock can be set to any number of seconds that there is.
        let seconds = min(Milliseconds(time.tv_sec), TimeLimits.latest / 1000)
        return max(seconds, 0) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}
