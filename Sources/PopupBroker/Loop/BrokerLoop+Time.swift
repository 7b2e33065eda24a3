import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Work that is due by time: timers of popups, repeated states, the heartbeat.
extension BrokerLoop {
    /// Advances the time to that of the clock, or of the batch in flight. The gathered commands precede timers that are
    /// due by then.
    mutating func advanceClock() {
        guard !pipeline.isApplying else { return }
        time.advance(to: pipeline.timeInFlight ?? time.clock)
        if pipeline.isInFlight { time.markDecided(until: now) }
    }

    /// Adds the wall clock's lead over the broker's clock to the batch if the wall clock was set: quiet windows and the
    /// times of events follow it. Retries every second until it is committed.
    mutating func recordWallClock(ahead lead: Milliseconds) {
        let setting = WallClockEntry(ahead: lead - time.lag)
        guard wallClock.shouldRecord(setting.ahead, journaled: state.scheduler.wallClockLead, at: time.clock)
        else { return }
        if wallClock.shouldLog(setting.ahead) {
            logger.warning(
                "the wall clock was set", metadata: ["ahead of the time that passed, ms": "\(setting.ahead)"])
        }
        let range = pipeline.gathered.log.append(.wallClock, setting.bytes.span.bytes)
        pipeline.gathered.enter(.state(.wallClock(setting)), range: range)
    }

    /// Records the wall clock at the start in the journal, before the time advances. So quiet windows that ended while
    /// no broker ran end by the current wall clock.
    ///
    /// Not inlined: the optimizer of Swift 6.3.1 aborts when it inlines this into `start`.
    @inline(never)
    static func recordWallClock(
        _ journal: any Journal, _ state: inout BrokerState, ahead lead: Milliseconds, at start: Milliseconds
    ) throws {
        let setting = WallClockEntry(ahead: lead + start - max(start, state.time))
        // A new journal begins with the settings. The first turn records the wall clock after them.
        guard state.settings != nil, WallClockWatch.isSet(setting.ahead, from: state.scheduler.wallClockLead)
        else { return }
        var log = CommandLog()
        log.append(.wallClock, setting.bytes.span.bytes)
        let sequence = try journal.append(log.bytes.span.bytes, at: state.time)
        var output = EventBuffer()
        try state.apply(JournalBatch(sequence: sequence, time: state.time, commands: log.bytes), into: &output)
    }

    /// Handles everything that is due: timers, each published on its own, and ended leases, unless a batch is in
    /// flight, since the end of a lease is committed.
    mutating func fireTimers() throws {
        if !pipeline.isInFlight, isLeaseDue { try endLeases() }
        guard !pipeline.isApplying, try fireDueTimers() else { return }
        if !pipeline.isInFlight { recordIdleTime() }
    }

    /// Handles timers that are due, and the unfinished work of the last step, within the turn's budget.
    ///
    /// - Returns: Whether nothing is due any more.
    @discardableResult
    mutating func fireDueTimers() throws -> Bool {
        let end = timersUntil
        guard let due = state.scheduler.nextDeadline, due <= end else { return true }
        // This comes first: what ends now has also ended after a restart, whatever the clock is then.
        pipeline.recordTimers(until: end)
        if !state.scheduler.hasWork { stats.timerLateness.record(time.clock - due) }
        var isDone = false
        while !isDone, !budget.isSpent {
            // The buffers are emptied after this number of events.
            while !isDone, !budget.isSpent, output.events.count < Self.eventsAtOnce {
                let mark = workMark
                isDone = !state.advance(to: end, into: &output)
                try publisher.publishChanges(of: output, in: state, at: time.clock)
                spend(since: mark)
            }
            try finishTimers()
        }
        // Later commands must not be applied at an earlier time than these timers.
        time.markDecided(until: end)
        return isDone
    }

    /// The time until which timers may be handled now: what the others of a shared journal do not know of must not happen.
    var timersUntil: Milliseconds {
        @inline(__always) get { pipeline.isShared ? min(now, pipeline.timeLimit) : now }
    }

    /// The time in ms before a timer at which a later limit is asked for.
    private static var reservationNotice: Milliseconds { 1000 }

    /// The time at which the loop has something to do for its next timer; `nil` if there is none, or its limit is under
    /// way.
    var nextTimer: Milliseconds? {
        guard let due = state.scheduler.nextDeadline, pipeline.isShared else { return state.scheduler.nextDeadline }
        let limit = pipeline.timeLimit
        guard due > limit else { return due }
        return reservedAfter == limit ? nil : due - Self.reservationNotice
    }

    /// Asks a shared journal for a later limit if a timer is due soon, and beyond it. The batch in flight brings one itself.
    mutating func reserveTime() {
        guard pipeline.isShared, !pipeline.isInFlight, let wanted = nextTimer, wanted <= time.clock else { return }
        let limit = pipeline.timeLimit
        guard let due = state.scheduler.nextDeadline, due > limit else { return }
        reservedAfter = limit
        // No later command is applied at an earlier time.
        time.markDecided(until: time.clock)
        pipeline.reserve(time.clock)
    }

    /// The number of events after which the buffers are emptied, not counting those of the last step.
    private static var eventsAtOnce: Int { 1024 }

    /// The maximum number of leases that end in a turn: the end of each is a commit.
    private static var leaseEndsAtOnce: Int { 16 }

    /// Ends leases that have ended until now, each at its own time, as if its renderer left then. If that is not all of
    /// them, messages come before the others, which end later than due.
    private mutating func endLeases() throws {
        guard !pipeline.isShared else { return try endLeasesTogether() }
        guard let first = leases.nextDue, first <= now else { return }
        let end = now
        var count = 0
        // A batch that is applied over several turns keeps its own time until it is applied.
        defer { if !pipeline.isApplying { time.advance(to: end) } }
        while !pipeline.isApplying, count < Self.leaseEndsAtOnce, let (client, due) = leases.takeOverdue(at: end) {
            count += 1
            // Never before the time of the committed commands and handled timers.
            time.goBack(to: due)
            let leaving = WireCommand.with { $0.lease.client = client }
            var isEnded = enter(leaving, endingLeaseOf: client)
            if isEnded { isEnded = try commit() }
            if !isEnded { leases.postpone(client, at: end) }
        }
        leasesWait = isLeaseDue
    }

    /// The maximum number of leases that end in one batch.
    private static var leaseEndsTogether: Int { 1024 }

    /// Ends leases in one batch, now: a shared journal may have promised the others that nothing earlier comes. The batch is
    /// only submitted, since its commit waits for the network.
    private mutating func endLeasesTogether() throws {
        guard !pipeline.isApplying else { return }
        enterLeaseEnds()
        if !pipeline.gathered.isEmpty { try commitOrSubmit() }
    }

    /// Enters the ends of leases into the gathered batch, which is submitted at the time of the clock. Those that are refused
    /// with it are postponed.
    mutating func enterLeaseEnds() {
        var count = 0
        while count < Self.leaseEndsTogether, let (client, _) = leases.takeOverdue(at: time.clock) {
            count += 1
            let isEntered = enter(.with { $0.lease.client = client }, endingLeaseOf: client)
            if !isEntered { leases.postpone(client, at: time.clock) }
        }
        leasesWait = isLeaseDue
    }

    /// Enters the end of a lease. Until it is applied or refused, a renewal is a command: it begins the lease anew.
    private mutating func enter(_ leaving: WireCommand, endingLeaseOf client: String) -> Bool {
        // The command counts as a frame, so that visits of other commands do not count towards it.
        admission.beginFrame()
        leases.beginChange(of: client)
        guard (try? append(leaving, call: nil)) == nil else { return true }
        leases.endChange(of: client)
        return false
    }

    // MARK: - The cost of a step

    /// The work done so far.
    var workMark: WorkMark {
        WorkMark(visits: state.scheduler.visits, events: output.events.count, changes: output.changes.count)
    }

    /// Charges the budget for the work since a mark, and for publishing it.
    @inline(__always)
    mutating func spend(since mark: WorkMark) {
        budget.spend(
            1 + state.scheduler.visits - mark.visits + (output.events.count - mark.events) * publisher.costOfEvent
                + (output.changes.count - mark.changes) * publisher.costOfChange)
    }

    /// Publishes a bounded part of what has to be repeated. Returns whether there is more.
    mutating func republishDue() throws -> Bool {
        let hasMore = try publisher.republishDue(in: state, at: time.clock)
        acknowledgements.repeatDue(at: now)
        return hasMore
    }
}
