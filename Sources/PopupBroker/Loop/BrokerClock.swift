public import PopupScheduling
import SystemCalls

/// The clock of the broker. It never goes back.
public protocol BrokerClock: Sendable {
    /// Returns the time in ms since 1970-01-01T00:00:00Z.
    func now() -> Milliseconds

    /// Returns the time in ms by which the wall clock is ahead of `now`. It changes when the wall clock is set.
    func wallClockLead() -> Milliseconds
}

extension BrokerClock {
    /// Returns 0: `now` is the wall clock.
    public func wallClockLead() -> Milliseconds { 0 }
}

/// A clock that reads the wall clock once, and from then on adds the elapsed time, including that of a suspended
/// machine. So timers are neither early nor late when the wall clock is set.
public struct SystemClock: BrokerClock {
    private let offset: Milliseconds

    /// Creates a clock that starts at the wall-clock time.
    public init() {
        offset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_BOOTTIME)
    }

    /// Returns the time in ms since 1970-01-01T00:00:00Z.
    public func now() -> Milliseconds { TimeLimits.nearest(to: Self.read(CLOCK_BOOTTIME) + offset) }

    /// Returns the time in ms by which the wall clock has been set since the clock was created.
    public func wallClockLead() -> Milliseconds {
        let before = now()
        let lead = Self.read(CLOCK_REALTIME) - before
        // If the thread was delayed between both readings, the difference is not a setting of the wall clock.
        return now() - before < Self.longestReading ? lead : Self.read(CLOCK_REALTIME) - now()
    }

    /// The maximum time in ms for reading both clocks without a delay of the thread.
    private static let longestReading: Milliseconds = 10

    private static func read(_ clock: clockid_t) -> Milliseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        // A wall clock can be set to any number of seconds.
        let seconds = min(Milliseconds(time.tv_sec), TimeLimits.latest / 1000)
        return max(seconds, 0) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }
}
