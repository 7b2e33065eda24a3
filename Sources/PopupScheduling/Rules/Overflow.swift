// Overflow: which popup gives way when the maximum number of popups waits in a group. It concerns only newcomers that
// have to wait.
extension Scheduler {
    /// Whether a newcomer has to wait: it is delayed, or waits by the outcome of its arrival.
    func hasToWait(_ arrival: Arrival?) -> Bool {
        switch arrival {
        case nil, .wait, .waitProtected: true
        case .takeAll, .replace, .show, .stop, .pause, .refuse, .unmet: false
        }
    }

    /// Makes space for one more waiting popup. Returns the refusal if that is not possible.
    mutating func makeRoom(in group: GroupRecord.Index, for popup: PopupRecord.Index) -> Refusal? {
        let policy = groups[group].policy
        let most = min(policies[policy].maxWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        guard groups[group].waiting >= most else { return nil }
        let full = most == limits.waitingPerGroup ? Refusal.limit(.waitingPerGroup) : .maxWaiting
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

    /// Returns the last waiting popup: the latest of the lowest priority. Delayed popups count at the position that
    /// they will have. O(n) if there are any.
    private func lastWaiting(in group: GroupRecord.Index) -> PopupRecord.Index? {
        var last = groups.lastListed(in: group, popups) { popups[$0].isWaiting }
        if groups[group].hasCandidates,
            let candidate = groups.lastWaitingCandidate(in: group, at: agingTime(of: group)),
            last.map({ precedesInQueue($0, candidate) }) ?? true
        {
            last = candidate
        }
        guard groups[group].delayed > 0 else { return last }
        var next = groups[group].accepted.first
        while let popup = next {
            if popups[popup].isDelayed, last.map({ precedesInQueue($0, popup) }) ?? true { last = popup }
            next = popups.next(after: popup, Acceptances.self)
        }
        return last
    }
}
