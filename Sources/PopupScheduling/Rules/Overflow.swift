// What gives way when as many popups wait in a group as may. It concerns newcomers that have to wait, nothing else.
extension Scheduler {
    /// Whether a newcomer has to wait: it is delayed, or its arrival was judged so.
    func hasToWait(_ arrival: Arrival?) -> Bool {
        switch arrival {
        case nil, .wait, .waitProtected: true
        case .takeAll, .replace, .show, .stop, .pause, .refuse: false
        }
    }

    /// Makes room for one more waiting popup, or returns why there is none.
    mutating func makeRoom(in group: Int32, for request: PopupRequest) -> Refusal? {
        let policy = policies[groups[group].policy]
        let most = min(policy.maximumWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        guard groups[group].waiting >= most else { return nil }
        let full = most == limits.waitingPerGroup ? Refusal.limit(.waitingPerGroup) : .maximumWaiting
        switch policy.overflow {
        case .rejectNew:
            return full
        case .dropLowest:
            let lowest = lastWaiting(in: group)
            let priority = policy.ignorePriority ? 0 : request.priority
            guard lowest != nobody, effectivePriority(of: lowest) < priority else { return full }
            close(lowest, .overflow)
        case .dropOldest:
            let oldest = firstInRoster(from: groups[group].oldest) { popups[$0].countsAsWaiting }
            guard oldest != nobody else { return full }
            close(oldest, .overflow)
        }
        return nil
    }

    /// The last of those waiting: of the lowest priority the latest. Delayed ones stand where they would; looking them
    /// through is O(n), and is left out when there are none.
    private func lastWaiting(in group: Int32) -> Int32 {
        var last = nobody
        var rung = groups[group].lowest
        while rung != nobody, last == nobody {
            last = rungs[rung].last
            while last != nobody, popups[last].isPaused { last = popups[last].before }
            rung = rungs[rung].higher
        }
        guard groups[group].delayed > 0 else { return last }
        var popup = groups[group].oldest
        while popup != nobody {
            if case .delayed = popups[popup].stage, last == nobody || stands(popup, behind: last) { last = popup }
            popup = popups[popup].younger
        }
        return last
    }

    private func stands(_ popup: Int32, behind other: Int32) -> Bool {
        let (mine, theirs) = (effectivePriority(of: popup), effectivePriority(of: other))
        return mine != theirs ? mine < theirs : popups[popup].rank > popups[other].rank
    }
}
