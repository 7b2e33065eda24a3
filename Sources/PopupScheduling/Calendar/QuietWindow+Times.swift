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
