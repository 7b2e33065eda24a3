import PopupJournal
import PopupScheduling

// What time brings: timers of popups, states sent again, the heartbeat.
extension BrokerCore {
    /// Lets time go on to what the clock says, or to the time of the batch in flight. What was gathered came before
    /// what is due by then.
    mutating func advanceClock() {
        guard completed == nil else { return }
        now = max(now, inFlight?.time ?? clock)
        if inFlight != nil { settledUntil = now }
    }

    /// Handles all that is due: timers, each published by itself, and leases that have run out, unless a batch is in
    /// flight: the end of a lease is committed.
    mutating func fireTimers() throws {
        if inFlight == nil { try endLeases() }
        guard completed == nil, try fireDueTimers() else { return }
        if inFlight == nil { attend() }
    }

    /// Handles the timers of the scheduler that are due, and what the last step left to do, as far as the turn's budget
    /// goes.
    ///
    /// - Returns: Whether nothing is due any more.
    @discardableResult
    mutating func fireDueTimers() throws -> Bool {
        guard let due = state.scheduler.nextDeadline, due <= now else { return true }
        // First: what is seen to end now has ended for every later start, whatever the clock says then. While a batch
        // is in flight, one of this time is committed, or its time was noted before it was handed over.
        if inFlight == nil { journal.note(time: now) }
        var isDone = false
        while !isDone, !budget.isSpent {
            // So much before the buffers are emptied.
            while !isDone, !budget.isSpent, output.events.count < Self.eventsAtOnce {
                let mark = workMark
                isDone = !state.advance(to: now, into: &output)
                try publishChanges()
                spend(since: mark)
            }
            try finishTimers()
        }
        // What comes from now on is not before those that were handled.
        settledUntil = max(settledUntil, now)
        return isDone
    }

    /// So many events at most before the buffers are emptied, and those of one step.
    private static var eventsAtOnce: Int { 1024 }

    // MARK: - What a step costs

    /// What is done so far.
    var workMark: WorkMark {
        WorkMark(visits: state.scheduler.visits, events: output.events.count, changes: output.changes.count)
    }

    /// Counts what was done since, and what it took to publish it.
    @inline(__always)
    mutating func spend(since mark: WorkMark) {
        budget.spend(
            1 + state.scheduler.visits - mark.visits + (output.events.count - mark.events) * costOfEvent
                + (output.changes.count - mark.changes) * costOfChange)
    }

    private var costOfEvent: Int {
        subscriptionCounts.channels.contains(.eventsJSON)
            ? Syncs.costOfJSON : subscriptionCounts.channels.contains(.events) ? 2 : 1
    }

    private var costOfChange: Int { subscriptionCounts.channels.contains(.stateJSON) ? 4 : 1 }

    /// Sends again what is due to be sent again, a bounded part of it. Returns whether there is more.
    mutating func republishDue() throws -> Bool {
        var budget = PublishingBudget()
        while !budget.isSpent, let request = lateJoinReplay.takeDue(at: now) { try serve(request, &budget) }
        if wantsStates { try refreshStates(&budget) } else { refresh.skip(to: now) }
        var hasMore = budget.isSpent || wantsStates && refresh.isBehind(at: now)
        if subscriptionCounts.channels.contains(.heartbeat), changes.due <= now {
            // Never held up by states: they are the heartbeat.
            var budget = PublishingBudget()
            hasMore = try publishHeartbeat(&budget) || hasMore
        }
        ackScheduler.repeatDue(at: now, pending: completed?.batch.number ?? inFlight?.number ?? batch.number)
        return hasMore
    }

    private mutating func refreshStates(_ budget: inout PublishingBudget) throws {
        for _ in 0..<PublishingBudget.groups where !budget.isSpent {
            guard let group = refresh.takeDue(at: now, capacity: state.scheduler.groupCapacity) else { return }
            try refreshState(of: group, &budget)
        }
    }

    private mutating func refreshState(of group: GroupIndex, _ budget: inout PublishingBudget) throws {
        guard let current = state.scheduler.state(of: group, at: now),
            refresh.isWanted(group, isEmpty: current.active == nil)
        else { return }
        let channels = subscriptionCounts.channels.intersection([.state, .stateJSON])
        try publishState(of: group, to: channels)
        budget.spend(bytes: publishedBytes(on: channels))
    }
}
