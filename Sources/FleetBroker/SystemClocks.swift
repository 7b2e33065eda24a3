public import PopupFleet
internal import SystemCalls

/// The clocks of this machine.
public enum SystemClocks {
    /// Returns the moment: by the clock that goes on while the machine sleeps and never jumps, and by the wall clock.
    public static func moment() -> FleetMoment {
        FleetMoment(boot: milliseconds(of: bootClock), wall: milliseconds(of: CLOCK_REALTIME))
    }

    #if os(Linux)
        private static let bootClock = CLOCK_BOOTTIME
    #else
        // On Apple's systems this one goes on while the machine sleeps.
        private static let bootClock = CLOCK_MONOTONIC
    #endif

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
