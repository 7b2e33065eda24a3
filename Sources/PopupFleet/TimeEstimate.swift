/// A standby's estimate of the time of the log, independent of the difference between the machines' wall clocks.
///
/// It observes how far the log's time is ahead of its own clock. An observation comes late, never early: so the greatest
/// difference is the best one, and errs towards the past. What the clocks of two machines may have drifted apart since is
/// taken off.
struct TimeEstimate {
    /// The time in which the clocks of two machines may drift 1 ms apart, in ms: an operating system corrects the rate of a
    /// clock by 0.05 % at most, so two differ by 0.1 % at most (`MAXFREQ` in Linux's `timex.h`: 500 ppm).
    private static let driftTime: Int64 = 1000

    private struct Observation {
        var boot: Int64
        var offset: Int64

        /// Returns the difference at a later time, which is at least so great.
        func offset(at boot: Int64) -> Int64 { offset - max(0, boot - self.boot) / TimeEstimate.driftTime }
    }

    /// The observation of the greatest difference, less drift: that takes the same off all of them.
    private var best: Observation?
    /// The latest time of the log.
    private(set) var latest: Int64?

    /// Whether the time of the log was seen to move: somebody owned the log meanwhile.
    var isWarm: Bool { best != nil }

    /// Observes a time of the log. The first one is only what others are compared with: it may be hours old.
    mutating func observe(_ time: Int64, at boot: Int64) {
        defer { latest = max(latest ?? time, time) }
        guard let latest, time > latest else { return }
        let offset = time - boot
        if let best, best.offset(at: boot) > offset { return }
        best = Observation(boot: boot, offset: offset)
    }

    /// Returns the time at which a tenure begins.
    ///
    /// - Parameter horizon: The horizon of the head, which it never precedes.
    func beginning(after horizon: Int64, at moment: FleetMoment, wallStep: Int64) -> Int64 {
        guard let best else { return max(horizon, moment.wall) }
        let estimate = moment.boot + best.offset(at: moment.boot)
        return max(horizon, estimate, min(moment.wall, estimate + wallStep))
    }
}

/// The clock of an owner: the log's time when its tenure began, and what has passed since. It never goes back.
struct TenureClock {
    private let time: Int64
    private let boot: Int64

    /// Creates a clock that says `time` now.
    init(_ time: Int64, at boot: Int64) {
        self.time = time
        self.boot = boot
    }

    /// Returns the time of the log.
    func time(at boot: Int64) -> Int64 { time + max(0, boot - self.boot) }
}
