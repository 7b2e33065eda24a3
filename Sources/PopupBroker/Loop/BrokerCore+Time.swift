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

    /// Sends again what is due to be sent again.
    mutating func tellAgain() throws {
        for wish in repetitions.takeDue(at: now) { try serve(wish) }
        if wantsStates {
            var due: [GroupIndex] = []
            refresh.visitDue(at: now, capacity: scheduler.groupCapacity) { due.append($0) }
            for group in due { try refreshState(of: group) }
        } else {
            refresh.skip(to: now)
        }
        if interest.channels.contains(.heads), changes.due <= now { try publishHeads() }
        desk.repeatDue(at: now, pending: flying?.number ?? batch.number)
    }

    private mutating func refreshState(of group: GroupIndex) throws {
        guard let current = scheduler.state(of: group, at: now),
            refresh.isWanted(group, isEmpty: current.active == nil)
        else { return }
        try publishState(of: group, to: interest.channels.intersection([.state, .stateJSON]))
    }
}
