import PopupJournal
import PopupScheduling

// What time brings: timers of popups, states sent again, the heartbeat.
extension BrokerCore {
    /// So many timers at most are handled before the buffers are emptied.
    private static var timersAtOnce: Int { 1024 }

    /// Lets time go on to what the clock says, or to the time of the batch in flight. What was gathered came before what is
    /// due by then.
    mutating func letTimePass() {
        now = max(now, flying?.time ?? clock)
        if flying != nil { settledUntil = now }
    }

    /// Handles all that is due: timers, each published by itself, and leases that have run out, unless a batch is in
    /// flight: the end of a lease is committed.
    mutating func fireTimers() throws {
        if flying == nil { try endLeases() }
        try fireDueTimers()
        if flying == nil { attend() }
    }

    /// Handles all timers of the scheduler that are due.
    mutating func fireDueTimers() throws {
        guard let due = scheduler.nextDeadline, due <= now else { return }
        // First: what is seen to end now has ended for every later start, whatever the clock says then. While a batch is in
        // flight, one of this time is committed, or its time was noted before it was handed over.
        if flying == nil { journal.note(time: now) }
        var fired = 0
        while scheduler.step(until: now, into: &output) {
            try publishChanges()
            fired += 1
            if fired % Self.timersAtOnce == 0 { try finishTimers() }
        }
        try finishTimers()
    }

    /// Sends again what is due to be sent again, a bounded part of it. Returns whether there is more.
    mutating func tellAgain() throws -> Bool {
        var budget = PublishingBudget()
        while !budget.isSpent, let wish = repetitions.takeDue(at: now) { try serve(wish, &budget) }
        if wantsStates { try refreshStates(&budget) } else { refresh.skip(to: now) }
        var hasMore = budget.isSpent || wantsStates && refresh.isBehind(at: now)
        if interest.channels.contains(.heads), changes.due <= now {
            // Never held up by states: they are the heartbeat.
            var budget = PublishingBudget()
            hasMore = try publishHeads(&budget) || hasMore
        }
        desk.repeatDue(at: now, pending: flying?.number ?? batch.number)
        return hasMore
    }

    private mutating func refreshStates(_ budget: inout PublishingBudget) throws {
        for _ in 0..<PublishingBudget.groups where !budget.isSpent {
            guard let group = refresh.takeDue(at: now, capacity: scheduler.groupCapacity) else { return }
            try refreshState(of: group, &budget)
        }
    }

    private mutating func refreshState(of group: GroupIndex, _ budget: inout PublishingBudget) throws {
        guard let current = scheduler.state(of: group, at: now),
            refresh.isWanted(group, isEmpty: current.active == nil)
        else { return }
        let channels = interest.channels.intersection([.state, .stateJSON])
        try publishState(of: group, to: channels)
        budget.spend(bytes: publishedBytes(on: channels))
    }
}
