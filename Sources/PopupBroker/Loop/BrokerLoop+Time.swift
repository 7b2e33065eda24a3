import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// What time brings: timers of popups, states sent again, the heartbeat.
extension BrokerLoop {
    /// Lets time go on to what the clock says, or to the time of the batch in flight. What was gathered came before
    /// what is due by then.
    mutating func advanceClock() {
        guard !pipeline.isApplying else { return }
        now = max(now, pipeline.timeInFlight ?? clock)
        if pipeline.isInFlight { settledUntil = now }
    }

    /// In ms: so far the wall clock may go away from what the journal has of it before that is noted: it is slewed by
    /// little, and set by much.
    private static var wallClockStep: Milliseconds { 500 }

    /// Enters what the wall clock is ahead of the broker's, when it was set: quiet windows and the times of events go by
    /// it. Tried each second until it is committed.
    mutating func noteWallClock(ahead lead: Milliseconds) {
        let setting = WallClockEntry(ahead: lead - clockLag)
        guard abs(setting.ahead - state.scheduler.wallClockLead) >= Self.wallClockStep,
            clock - wallClockNotedAt >= 1000
        else { return }
        wallClockNotedAt = clock
        if loggedWallClock.map({ abs(setting.ahead - $0) >= Self.wallClockStep }) ?? true {
            loggedWallClock = setting.ahead
            logger.warning(
                "the wall clock was set", metadata: ["ahead of the time that passed, ms": "\(setting.ahead)"])
        }
        let range = pipeline.gathered.log.append(.wallClock, setting.bytes.span.bytes)
        pipeline.gathered.enter(.state(.wallClock(setting)), range: range)
    }

    /// Notes the wall clock of a start in the journal, before time goes on from there: what ends while no broker runs
    /// ends by this one's.
    ///
    /// Not inlined: the optimizer of Swift 6.3.1 aborts when it puts it into `start`.
    @inline(never)
    static func noteWallClock(
        _ journal: any Journal, _ state: inout BrokerState, ahead lead: Milliseconds, at start: Milliseconds
    ) throws {
        let setting = WallClockEntry(ahead: lead + start - max(start, state.time))
        // A new journal begins with the settings: it is entered after them, by the first turn.
        guard state.settings != nil, abs(setting.ahead - state.scheduler.wallClockLead) >= wallClockStep else { return }
        var log = CommandLog()
        log.append(.wallClock, setting.bytes.span.bytes)
        let sequence = try journal.append(log.bytes.span.bytes, at: state.time)
        var output = EventBuffer()
        try state.apply(JournalBatch(sequence: sequence, time: state.time, commands: log.bytes), into: &output)
    }

    /// Handles all that is due: timers, each published by itself, and leases that have run out, unless a batch is in
    /// flight: the end of a lease is committed.
    mutating func fireTimers() throws {
        if !pipeline.isInFlight { try endLeases() }
        guard !pipeline.isApplying, try fireDueTimers() else { return }
        if !pipeline.isInFlight { attend() }
    }

    /// Handles the timers of the scheduler that are due, and what the last step left to do, as far as the turn's budget
    /// goes.
    ///
    /// - Returns: Whether nothing is due any more.
    @discardableResult
    mutating func fireDueTimers() throws -> Bool {
        guard let due = state.scheduler.nextDeadline, due <= now else { return true }
        // First: what is seen to end now has ended for every later start, whatever the clock says then.
        pipeline.noteTimers(until: now)
        var isDone = false
        while !isDone, !budget.isSpent {
            // So much before the buffers are emptied.
            while !isDone, !budget.isSpent, output.events.count < Self.eventsAtOnce {
                let mark = workMark
                isDone = !state.advance(to: now, into: &output)
                try publisher.publishChanges(of: output, in: state, at: now)
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

    /// Ends the leases that have run out until now, each as it would if its renderer left then.
    private mutating func endLeases() throws {
        guard let first = leases.nextDue, first <= now else { return }
        let end = now
        // One that is applied over several turns has its own time until then.
        defer { if !pipeline.isApplying { now = end } }
        while !pipeline.isApplying, let (client, due) = leases.takeOverdue(at: end) {
            // Never before what is committed, or was told.
            now = max(due, settledUntil)
            let leaving = WireCommand.with { $0.lease.client = client }
            // It is as a frame of its own: what others go through does not count for it.
            admission.beginFrame()
            var isEnded = (try? append(leaving, call: nil)) != nil
            if isEnded { isEnded = try commit() }
            if !isEnded { leases.postpone(client, at: end) }
        }
    }

    // MARK: - What a step costs

    /// What is done so far.
    var workMark: WorkMark {
        WorkMark(visits: state.scheduler.visits, events: output.events.count, changes: output.changes.count)
    }

    /// Counts what was done since, and what it took to publish it.
    @inline(__always)
    mutating func spend(since mark: WorkMark) {
        budget.spend(
            1 + state.scheduler.visits - mark.visits + (output.events.count - mark.events) * publisher.costOfEvent
                + (output.changes.count - mark.changes) * publisher.costOfChange)
    }

    /// Sends again what is due to be sent again, a bounded part of it. Returns whether there is more.
    mutating func republishDue() throws -> Bool {
        let hasMore = try publisher.republishDue(in: state, at: now)
        acknowledgements.repeatDue(at: now)
        return hasMore
    }
}
