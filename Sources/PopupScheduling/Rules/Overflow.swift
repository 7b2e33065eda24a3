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
    mutating func makeRoom(in group: Int32, for popup: Int32) -> Refusal? {
        let policy = groups[group].policy
        let most = min(policies[policy].maximumWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        guard groups[group].waiting >= most else { return nil }
        let full = most == limits.waitingPerGroup ? Refusal.limit(.waitingPerGroup) : .maximumWaiting
        switch policies[policy].overflow {
        case .rejectNew:
            return full
        case .dropLowest:
            let lowest = lastWaiting(in: group)
            guard lowest != nobody, comparedPriority(of: lowest) < comparedPriority(of: popup) else { return full }
            close(lowest, .evicted, detail: store[popups[popup].id])
        case .dropOldest:
            let oldest = firstAccepted(from: groups[group].oldest) { popups[$0].countsAsWaiting }
            guard oldest != nobody else { return full }
            close(oldest, .evicted, detail: store[popups[popup].id])
        }
        return nil
    }

    /// The last of those waiting: of the lowest priority the latest. Delayed ones stand where they would; looking them
    /// through is O(n), and is left out when there are none.
    private func lastWaiting(in group: Int32) -> Int32 {
        var last =
            groups[group].ages ? queue(of: group).last { popups[$0].isWaiting } ?? nobody : lastOfLevels(in: group)
        guard groups[group].delayed > 0 else { return last }
        var popup = groups[group].oldest
        while popup != nobody {
            if popups[popup].isDelayed, last == nobody || precedesInQueue(last, popup) { last = popup }
            popup = popups[popup].younger
        }
        return last
    }

    private func lastOfLevels(in group: Int32) -> Int32 {
        var last = nobody
        var level = lowestLevel(of: group)
        while level != nobody, last == nobody {
            last = levels[level].last
            while last != nobody, popups[last].isPaused { last = popups[last].before }
            level = levels[level].higher
        }
        return last
    }
}
