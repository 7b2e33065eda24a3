import PopupJournal
import PopupProtocol
import PopupScheduling

// What is due by time: timers of popups, and the broker's own entries of the journal.
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
        let setting = ownEntries.wallClock(
            ahead: lead - time.lag, journaled: state.scheduler.wallClockLead, at: time.clock)
        guard let setting else { return }
        if ownEntries.shouldLog(setting) { logs.logWallClock(ahead: setting.ahead) }
        pipeline.gathered.enter(.wallClock(setting), as: .wallClock, setting.bytes.span.bytes)
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
        if !state.scheduler.hasWork { stats.recordLateness(time.clock - due) }
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

    /// Asks a shared journal for a later limit if a timer is due soon, and beyond it.
    mutating func reserveTime() {
        guard pipeline.isShared, let due = state.scheduler.nextDeadline,
            pipeline.wantsReservation(forTimerDue: due, at: time.clock)
        else { return }
        // No later command is applied at an earlier time.
        time.markDecided(until: time.clock)
        // After a pause, timers are due that this broker has yet to tell of.
        pipeline.reserve(from: time.clock, handled: min(time.clock, due - 1))
    }

    /// The number of events after which the buffers are emptied, not counting those of the last step.
    private static var eventsAtOnce: Int { 1024 }

    /// Adds an entry to the batch that records the running broker, if there were no commands for a day and there are
    /// quiet windows. Retries every minute until it is committed.
    mutating func recordIdleTime() {
        guard state.scheduler.wantsIdleRecord(at: now), let settings = state.settings,
            ownEntries.shouldRecordIdleTime(at: now)
        else { return }
        enter(settings)
    }

    /// Adds the settings of the broker to the batch.
    mutating func enter(_ settings: JournaledSettings) {
        pipeline.gathered.enter(.settings(settings), as: .settings, settings.bytes.span.bytes)
    }
}
