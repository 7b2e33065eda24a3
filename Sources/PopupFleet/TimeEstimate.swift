/// A standby's estimate of the time of the log, independent of the difference between the machines' wall clocks.
///
/// It observes how far the log's time is ahead of its own clock. An observation comes late, never early: so the greatest
/// difference of the last minute is the best one, and errs towards the past.
struct TimeEstimate {
    private static let window: Int64 = 60_000

    private struct Observation {
        var boot: Int64
        var offset: Int64
    }

    // Descending offsets, ascending times: the first is the greatest of the window.
    private var observations: [Observation] = []
    private var latest: Int64?

    /// Whether the time of the log was seen to move: somebody owned the log meanwhile.
    var isWarm: Bool { !observations.isEmpty }

    /// Observes a time of the log. The first one is only what others are compared with: it may be hours old.
    mutating func observe(_ time: Int64, at boot: Int64) {
        defer { latest = max(latest ?? time, time) }
        guard let latest, time > latest else { return }
        let offset = time - boot
        observations.removeAll { $0.offset <= offset || $0.boot < boot - Self.window }
        observations.append(Observation(boot: boot, offset: offset))
    }

    /// Returns the time at which a tenure begins.
    ///
    /// - Parameter horizon: The horizon of the head, which it never precedes.
    func beginning(after horizon: Int64, at moment: FleetMoment, wallStep: Int64) -> Int64 {
        guard let offset = observations.first?.offset else { return max(horizon, moment.wall) }
        let estimate = moment.boot + offset
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
