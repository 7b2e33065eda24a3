/// A part of each day in which popups below a priority are held back, as by a suspension.
public struct QuietWindow: Sendable, Equatable {
    /// In minutes since midnight by the clocks of the zone: when it begins.
    public var from: UInt16
    /// In minutes since midnight by the clocks of the zone: when it ends, on the next day if it isn't after `from`.
    /// Differs from `from`.
    public var to: UInt16
    /// The clocks by which it goes.
    public var zone: TimeZoneRules
    /// Popups below it are held back; `nil`: all are.
    public var minimumPriority: Int32?

    /// A window.
    public init(from: UInt16, to: UInt16, zone: TimeZoneRules, minimumPriority: Int32? = nil) {
        self.from = from
        self.to = to
        self.zone = zone
        self.minimumPriority = minimumPriority
    }
}

extension QuietWindow {
    /// Whether the clocks of the zone stand within the window.
    func isInForce(at time: Milliseconds) -> Bool {
        let local = localTime(at: time).remainder
        let (from, to) = (milliseconds(from), milliseconds(to))
        return from < to ? from <= local && local < to : local >= from || local < to
    }

    /// The first instant after `time` at which it may begin or end: the clocks come to one of its bounds, or change.
    func nextChange(after time: Milliseconds) -> Milliseconds {
        let local = localTime(at: time).remainder
        let wait = [from, to].map { bound in
            let distance = milliseconds(bound) - local
            return distance > 0 ? distance : distance + millisecondsPerDay
        }
        let byClock = time + (wait.min() ?? millisecondsPerDay)
        return min(byClock, zone.nextTransition(after: time) ?? byClock)
    }

    /// Days and ms of the day by the clocks of the zone.
    private func localTime(at time: Milliseconds) -> (quotient: Milliseconds, remainder: Milliseconds) {
        (time + Milliseconds(zone.offset(at: time)) * 1000).dividedDown(by: millisecondsPerDay)
    }

    private func milliseconds(_ minutes: UInt16) -> Milliseconds { Milliseconds(minutes) * 60_000 }
}
