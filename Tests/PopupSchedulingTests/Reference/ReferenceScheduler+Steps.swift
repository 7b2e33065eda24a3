import PopupScheduling

/// Commands and timers, one step each.
extension ReferenceScheduler {
    func perform(
        _ instruction: Instruction, from sender: ProducerID?, of user: String, at time: Milliseconds
    ) -> (events: [Occurrence], refusal: Refusal?) {
        var all: [Occurrence] = []
        while let due = step(until: time) { all += due }
        lastInput = max(now, time)
        for pattern in resting.sorted() { setTimer(.quiet(pattern), after: lastInput - now) }
        resting = []
        while let due = step(until: lastInput) { all += due }
        closed = closed.filter { $0.value.at + limits.deduplicationWindow > max(now, time) }
        forgetShowings(at: max(now, time))
        giveBack()
        self.sender = sender
        self.user = user
        var refusal: Refusal?
        all += asOneStep(at: time) { refusal = perform(instruction) }
        forgetEarly()
        giveBack()
        return (all, refusal)
    }

    func step(until time: Milliseconds) -> [Occurrence]? {
        guard let next = timers.min(by: isBefore), next.due <= time else { return nil }
        timers.removeAll { $0.number == next.number }
        return asOneStep(at: next.due) { fire(next.purpose) }
    }

    private func fire(_ purpose: Timer.Purpose) {
        switch purpose {
        case .arrival(let id): delayEnds(id)
        case .expiry(let id): finish(id, .expired)
        case .display(let id): finish(id, .timedOut)
        case .minimumDisplay(let id): minimumDisplayEnds(id)
        case .displayTimeout(let id): displayTimeoutEnds(id)
        case .offer(let id): offerEnds(id)
        case .retry(let id): retryEnds(id)
        case .gap(let group): gapEnds(group)
        case .hold(let group): holdEnds(group)
        case .gather(let flow): gatherEnds(flow)
        case .cap(let group, let index): capAllowsAgain(group, index)
        case .quiet(let pattern): quietChanges(pattern)
        case .lease(let client): leaseEnds(client)
        }
    }

    var nextDeadline: Milliseconds? { timers.min(by: isBefore)?.due }

    var hasOnlyRecurringTimers: Bool {
        timers.allSatisfy { if case .quiet = $0.purpose { true } else { false } }
    }

    private func isBefore(_ one: Timer, _ other: Timer) -> Bool {
        (one.due, one.number) < (other.due, other.number)
    }

    // MARK: - Revisions

    /// Revisions go up once a step, in each group whose broadcast state it changed; all its events carry the new one.
    private func asOneStep(at time: Milliseconds, _ body: () -> Void) -> [Occurrence] {
        now = max(now, time)
        (events, touched, changedInPlace) = ([], [], [])
        var before: [String: Broadcast] = [:]
        for group in revisions.keys { before[group] = broadcast(of: group) }
        body()
        giveBack()
        for group in revisions.keys
        where broadcast(of: group) != before[group, default: Broadcast()] || changedInPlace.contains(group) {
            revisions[group]! += 1
        }
        for id in touched {
            if let popup = popups[id] { popups[id]!.sinceRevision = revisions[popup.group]! }
        }
        for index in events.indices {
            if case .refused = events[index].kind { continue }
            events[index].revision = revisions[events[index].group]!
        }
        return events
    }

    private struct Broadcast: Equatable {
        var inSlot: String?
        var waiting = 0
        var paused = 0
    }

    private func broadcast(of group: String) -> Broadcast {
        Broadcast(inSlot: occupant(of: group)?.id, waiting: waiting(of: group).count, paused: paused(of: group).count)
    }

    func emit(_ kind: Occurrence.Kind, _ id: String, in group: String) {
        let path =
            group.isEmpty ? [] : self.path(in: String(decoding: policy(of: group).pageTree, as: UTF8.self))
        events.append(
            Occurrence(at: wallTime, group: group, popup: id, revision: 0, kind: kind, path: path))
    }

    // MARK: - Timers

    func setTimer(_ purpose: Timer.Purpose, after delay: Milliseconds) {
        timers.append(Timer(due: now + delay, number: nextNumber(), purpose: purpose))
    }

    func cancelTimer(_ purpose: Timer.Purpose) {
        timers.removeAll { $0.purpose == purpose }
    }

    func due(_ purpose: Timer.Purpose) -> Milliseconds? {
        timers.first { $0.purpose == purpose }?.due
    }
}
