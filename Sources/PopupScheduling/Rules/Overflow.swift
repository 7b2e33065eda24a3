// What gives way when as many popups wait in a group as may. It concerns newcomers that have to wait, nothing else.
extension Scheduler {
    /// Whether a newcomer has to wait: it is delayed, or its arrival was judged so.
    func hasToWait(_ arrival: Arrival?) -> Bool {
        switch arrival {
        case nil, .wait, .waitProtected: true
        case .takeAll, .replace, .show, .stop, .pause, .refuse, .unmet: false
        }
    }

    /// Makes room for one more waiting popup, or returns why there is none.
    mutating func makeRoom(in group: GroupRecord.Index, for popup: PopupRecord.Index) -> Refusal? {
        let policy = groups[group].policy
        let most = min(policies[policy].maximumWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        guard groups[group].waiting >= most else { return nil }
        let full = most == limits.waitingPerGroup ? Refusal.limit(.waitingPerGroup) : .maximumWaiting
        switch policies[policy].overflow {
        case .rejectNew:
            return full
        case .dropLowest:
            guard let lowest = lastWaiting(in: group), comparedPriority(of: lowest) < comparedPriority(of: popup) else {
                return full
            }
            close(lowest, .evicted, detail: store[popups[popup].id])
        case .dropOldest:
            guard let oldest = firstAccepted(in: group, where: { popups[$0].countsAsWaiting }) else { return full }
            close(oldest, .evicted, detail: store[popups[popup].id])
        }
        return nil
    }

    /// The last of those waiting: of the lowest priority the latest. Delayed ones stand where they would; looking them
    /// through is O(n), and is left out when there are none.
    private func lastWaiting(in group: GroupRecord.Index) -> PopupRecord.Index? {
        var last =
            groups[group].ages
            ? queue(of: group).last { popups[$0].isWaiting }
            : groups.lastQueued(in: group, popups) { popups[$0].isWaiting }
        guard groups[group].delayed > 0 else { return last }
        var next = groups[group].accepted.first
        while let popup = next {
            if popups[popup].isDelayed, last.map({ precedesInQueue($0, popup) }) ?? true { last = popup }
            next = popups.next(after: popup, Acceptances.self)
        }
        return last
    }
}
