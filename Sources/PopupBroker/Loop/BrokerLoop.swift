import PopupAccess
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The loop of the broker. Each turn receives, admits, commits, applies and publishes.
///
/// It owns the state machine and the components, and passes values between them. No component knows another, except
/// that `Admission` and `Publisher` ask `AccessControl`, which the loop passes to them.
///
///     receive ──▶ Admission ──▶ CommitPipeline ──▶ BrokerState ──▶ Publisher ──▶ send
///                     ▲               ▲                 │ outcomes     ▲
///                     │ repetitions   │ ends of leases  ▼              │ acknowledgements
///              Acknowledgements     Leases ◀────────────┴─────▶ Acknowledgements
///
/// It is confined to one thread and reads no clock: `LoopRunner` does, and waits for it. The rest of it is in
/// extensions, in the other files of this directory:
///
/// - the parts of a turn: `+Commit` and `+Applying` (committed batches), `+Leases` (ends of leases), `+Messages`,
///   `+Admission`, `+Queries` and `+Refusals` (received messages), `+Publishing` (subscriptions, repetitions,
///   acknowledgements);
/// - the beginning, `+Start`, and what other threads ask for: `+Calls`, `+Policies`.
///
/// Each of its properties is a component whose state is private. Only these extensions use them; all other code calls
/// the functions of the loop.
struct BrokerLoop: ~Copyable {
    let transport: any Transport

    // From a received frame to a committed batch.
    var admission: Admission
    var access: AccessControl
    var acknowledgements: Acknowledgements
    var pipeline: CommitPipeline
    var leases = Leases()
    /// The entries that the broker itself adds to the journal.
    private var ownEntries = OwnEntries()

    // From a committed batch to what is published.
    /// The state that the journal determines.
    var state: BrokerState
    /// Its steps in this turn, and their results.
    var steps = StateSteps()
    var publisher: Publisher
    var time: LoopTime

    // Requests other than the commands of clients.
    var replies: Replies
    var calls: PendingCalls

    /// The counters and the log lines.
    var telemetry: Telemetry

    /// The epoch of this run of the broker.
    var epoch: UInt64 { publisher.epoch }

    /// The time up to which everything is decided.
    var now: Milliseconds { @inline(__always) get { time.now } }

    /// Performs the work that is due: committed batches, timers, subscriptions, one batch of messages, repetitions,
    /// acknowledgements, answers to `sync`; a bounded part of each.
    ///
    /// - Returns: Whether there may be more to do at once.
    /// - Throws: The error of the transport if it failed permanently.
    mutating func turn(at callersTime: Milliseconds) throws -> Bool {
        time.setClock(callersTime)
        steps.beginTurn()
        defer { steps.endTurn() }
        // Apply and publish committed batches.
        let hasCompleted = try completeWhatIsDone()
        // A turn has one time: after a batch has completed, the time advances in the next turn.
        if !hasCompleted {
            advanceClock()
            try fireTimers()
            reserveTime()
        }
        let hasSubscriptions = try takeSubscriptions()
        recordCutConnections()
        // Admit received messages, and commit or submit them.
        let hasMessages = try takeMessages(hasCompleted: hasCompleted)
        if !access.isOpen { endReadingOfLostNames() }
        // Repeat states for subscribers that missed them.
        let hasRepetitions = try republishDue()
        // Acknowledgements are sent once per batch: those of the next batch are not known yet.
        let hasAcks = try !pipeline.isInFlight || hasCompleted ? sendAcks() : false
        let hasSyncs = try publisher.serveSyncs(in: &state, at: time.clock)
        // Callers learn the outcome with the batch.
        if pipeline.isShared { calls.deliver() }
        let hasMore =
            hasSubscriptions || hasMessages || hasRepetitions || hasAcks || hasSyncs || isUnfinished
        // A snapshot is written during a pause.
        if !hasMore { pipeline.snapshotIfDue(at: now) }
        return hasMore
    }

    /// The time of the next turn if no message is received, by the caller's clock. While a batch is in
    /// flight, only timers until its time count: everything later waits until it completes, which wakes the loop.
    var nextDeadline: Milliseconds? {
        if isUnfinished { return time.byCallersClock(now) }
        if let timeInFlight = pipeline.timeInFlight {
            let limit = pipeline.isShared ? pipeline.timeLimit : timeInFlight
            guard let due = state.scheduler.nextDeadline, due <= min(limit, timeInFlight) else { return nil }
            return time.byCallersClock(due)
        }
        var next = pipeline.wakeUp(forTimerDue: state.scheduler.nextDeadline).orEarlier(leases.nextDue)
        next = next.orEarlier(publisher.nextDue(in: state))
        if publisher.wantsAcks { next = next.orEarlier(acknowledgements.nextDue) }
        return next.map { time.byCallersClock($0) }
    }

    /// Whether a batch is being applied, or timers are due that exceeded the turn's budget.
    private var isUnfinished: Bool {
        if pipeline.isApplying { return true }
        guard let due = state.scheduler.nextDeadline else { return false }
        return due <= timersUntil
    }

    // MARK: - Commits that take long

    /// Whether a batch is in flight and the next one accepts nothing, so that the loop can only wait.
    var isBackPressured: Bool { @inline(__always) get { pipeline.isBackPressured } }

    /// Waits until the outcome of the batch in flight is known, or a time in ms has passed; `nil`: without a limit.
    func waitForCommit(milliseconds: Int?) {
        if let milliseconds { pipeline.wait(milliseconds: milliseconds) } else { pipeline.wait() }
    }

    // MARK: - The beginning and the end

    /// Returns the notification that the broker accepts commands.
    func readiness(at endpoints: BrokerEndpoints) -> BrokerReadiness {
        BrokerReadiness(endpoints: endpoints, epoch: epoch, hasRefusedPolicies: telemetry.hasRefusedPolicies)
    }

    /// The names of the plugins, for the log.
    var pluginNames: [String] { admission.pluginNames }

    /// Ends the threads that use the journal, before it is closed.
    func stopThreads() { pipeline.stopThreads() }

    /// Applies and publishes everything that was received, stops receiving, and closes the journal.
    mutating func close() throws {
        try drain()
        if pipeline.isShared { try finishCalls() }
        transport.close()
        try pipeline.close()
    }

    // MARK: - What is due by time

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
        if ownEntries.shouldLog(setting) { telemetry.reportWallClock(ahead: setting.ahead) }
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
        if !state.scheduler.hasWork { telemetry.recordLateness(time.clock - due) }
        var isDone = false
        while !isDone, !steps.isSpent {
            while !isDone, !steps.isSpent, !steps.isFull {
                let mark = steps.mark(in: state)
                isDone = !steps.advance(&state, to: end)
                try steps.publishOfTimers(by: &publisher, in: state, at: time.clock)
                steps.chargeTimer()
                steps.spend(since: mark, in: state, publisher)
            }
            try finishTimers()
        }
        // Later commands must not be applied at an earlier time than these timers.
        time.markDecided(until: end)
        return isDone
    }

    /// The time until which timers may be handled now: what the others of a shared journal do not know of must not
    /// happen.
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
        // After a pause, timers are due that the journal does not contain yet.
        pipeline.reserve(from: time.clock, handled: min(time.clock, due - 1))
    }

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

    // MARK: - Tests

    /// The latest time of the caller's clock.
    var clock: Milliseconds { time.clock }

    /// The time at which the batch in flight will be applied; `nil` if none is in flight.
    var timeInFlight: Milliseconds? { pipeline.timeInFlight }

    /// Whether a batch is being applied, perhaps over several turns.
    var isApplying: Bool { pipeline.isApplying }

    /// Whether everything that was received is applied.
    var isIdle: Bool { !pipeline.isCommitting && pipeline.gathered.isEmpty }

    /// The channels with at least one subscription.
    var channels: SubscriptionCounts.Channels { publisher.channels }

    /// The user whose frame was read last; `nil` for a client without a key.
    var sender: UserName? { access.user }

    /// Limits the work of each turn.
    mutating func limit(workOfTurn: Int) { steps.limit(workOfTurn: workOfTurn) }

    /// Limits the number of popups and groups that the commands of a frame may visit.
    mutating func limit(visitsOfFrame: Int) { admission.limit(visitsOfFrame: visitsOfFrame) }
}
