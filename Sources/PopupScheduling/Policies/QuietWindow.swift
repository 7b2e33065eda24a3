/// A part of each day in which popups below a priority are held back, as by a suspension.
public struct QuietWindow: Sendable, Equatable {
    /// The start in minutes since midnight, by the clocks of `zone`.
    public var from: UInt16
    /// The end in minutes since midnight, by the clocks of `zone`; on the next day if it is before `from`. Differs from
    /// `from`.
    public var to: UInt16
    /// The time zone.
    public var zone: TimeZoneRules
    /// The lowest priority that is not held back; `nil` if all popups are.
    public var minimumPriority: Int32?

    /// Creates a window.
    public init(from: UInt16, to: UInt16, zone: TimeZoneRules, minimumPriority: Int32? = nil) {
        self.from = from
        self.to = to
        self.zone = zone
        self.minimumPriority = minimumPriority
    }
}

extension QuietWindow {
    /// Whether an instant is within the window.
    func isInForce(at time: Milliseconds) -> Bool {
        let local = localTime(at: time).remainder
        let (from, to) = (milliseconds(from), milliseconds(to))
        return from < to ? from <= local && local < to : local >= from || local < to
    }

    /// Returns the first instant after `time` at which the window may begin or end: the local time reaches one of its
    /// bounds, or the offset of the zone changes.
    func nextChange(after time: Milliseconds) -> Milliseconds {
        let local = localTime(at: time).remainder
        let wait = [from, to].map { bound in
            let distance = milliseconds(bound) - local
            return distance > 0 ? distance : distance + millisecondsPerDay
        }
        let byClock = time + (wait.min() ?? millisecondsPerDay)
        return min(byClock, zone.nextTransition(after: time) ?? byClock)
    }

    /// Returns the day number and the ms since midnight by the clocks of the zone.
    private func localTime(at time: Milliseconds) -> (quotient: Milliseconds, remainder: Milliseconds) {
        (time + Milliseconds(zone.offset(at: time)) * 1000).dividedDown(by: millisecondsPerDay)
    }

    private func milliseconds(_ minutes: UInt16) -> Milliseconds { Milliseconds(minutes) * 60_000 }
}
