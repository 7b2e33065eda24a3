import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The loop of the broker. Each turn receives, admits, commits, applies and publishes.
///
/// It owns the state machine and the components, and passes values between them: no component knows another.
///
///     receive ──▶ Admission ──▶ CommitPipeline ──▶ BrokerState ──▶ Publisher ──▶ send
///                     ▲               ▲                 │ outcomes     ▲
///                     │ repetitions   │ ends of leases  ▼              │ acknowledgements
///              Acknowledgements     Leases ◀────────────┴─────▶ Acknowledgements
///
/// It is confined to one thread, reads no clock and never waits: `LoopRunner` does that. The parts of a turn are in the
/// other files of this directory.
struct BrokerLoop: ~Copyable {
    let configuration: BrokerConfiguration
    let transport: any Transport
    let logger: Logger
    let epoch: UInt64
    var startedAt: Milliseconds

    // Components.
    var admission: Admission
    var access: AccessControl
    var acknowledgements: Acknowledgements
    var pipeline: CommitPipeline
    var leases = Leases()
    /// Whether messages are received before further leases end: many end at the same time.
    var leasesWait = false
    var publisher: Publisher

    /// The state that the journal determines.
    var state: BrokerState
    /// The results of the last steps, until they are published and the plugins are notified.
    var output = EventBuffer()

    /// The sender of the command that was applied last.
    var sender = BatchEntry.Sender.withoutName
    /// The name of its user; empty for a client without a key.
    var actor = ""

    // Time.
    var time: LoopTime
    var wallClock = WallClockWatch()
    /// The limit of a shared journal at which a later one was asked for.
    var reservedAfter: Milliseconds?
    /// The time of the last entry by `recordIdleTime`.
    var idleRecordedAt = Milliseconds.min / 2

    /// The budget of a turn.
    var workOfTurn = TurnBudget.ofTurn
    /// The remaining budget of the turn.
    var budget = TurnBudget.unlimited

    // Queries and calls.
    var queryHandler: QueryHandler
    var replies = EarlyReplies()
    var calls = PendingCalls()
    /// The reload that takes effect; only with a shared journal.
    var reload: Reload?

    // Counters and logs.
    var stats = Counters()
    /// The number of calls of other threads that waited when the turn began.
    var callsOfTurn = 0
    /// The durations of turns, measured by the caller.
    var turnTimes = TurnTimes()
    var forgetting: ForgettingLog
    var refusals: RefusalLog
    var cuts: CutConnectionLog

    /// The time up to which everything is decided.
    var now: Milliseconds { @inline(__always) get { time.now } }

    /// Starts a broker with a journal: replays the journal, and then sets the configured policies.
    ///
    /// - Parameters:
    ///   - timeZones: The time zones that policies may name.
    ///   - committer: Commits large batches concurrently with the loop.
    ///   - now: The time. It is asked for when the journal is open: that of a shared journal is not known before.
    ///   - wallClockLead: The time in ms by which the wall clock is ahead of it, asked for at the same moment.
    ///   - supervisor: Is notified of each batch that is replayed.
    ///   - standby: The subscribers that came before.
    /// - Throws: The errors of the journal, and `CommandRefusal` for an invalid policy or invalid defaults.
    static func start(
        configuration: BrokerConfiguration, timeZones: LoadedTimeZones, transport: any Transport,
        journal: any Journal, plugins: [any BrokerPlugin], logger: Logger, committer: (any Committer)? = nil,
        at now: @autoclosure () -> Milliseconds, wallClockLead: @autoclosure () -> Milliseconds = 0,
        supervisor: (any Supervisor)? = nil, standby: StandbySubscribers? = nil
    ) throws -> BrokerLoop {
        let opening = try journal.open()
        do {
            var loop = try start(
                configuration: configuration, timeZones, transport: transport, journal: journal, opening,
                plugins: plugins, logger: logger, committer: committer, at: now(), wallClockLead: wallClockLead(),
                supervisor: supervisor)
            if let standby { loop.adopt(standby) }
            return loop
        } catch {
            // The journal can be opened again after a failure.
            try? journal.close()
            throw error
        }
    }

    private static func start(
        configuration: BrokerConfiguration, _ timeZones: LoadedTimeZones, transport: any Transport,
        journal: any Journal, _ opening: JournalOpening, plugins: [any BrokerPlugin], logger: Logger,
        committer: (any Committer)?, at now: Milliseconds,
        wallClockLead: Milliseconds, supervisor: (any Supervisor)?
    ) throws -> BrokerLoop {
        for finding in opening.findings {
            logger.critical("the journal is not as it was written", metadata: ["finding": "\(finding)"])
        }
        let settings = JournaledSettings(configuration)
        var recovered = try BrokerState.recover(from: journal.newestSnapshot(), settings) { sequence, apply in
            try journal.replay(from: sequence) { batch in
                supervisor?.recordRecovery()
                try apply(batch)
            }
        }
        recovered.note(time: TimeLimits.nearest(to: journal.notedTime))
        try recordWallClock(journal, &recovered, ahead: wallClockLead, at: now)
        var loop = BrokerLoop(
            configuration: configuration, timeZones: timeZones, transport: transport, journal: journal,
            plugins: PluginChain(try ConfiguredPlugins(configuration), own: plugins), logger: logger,
            committer: committer, epoch: opening.epoch, recovered: recovered, at: now)
        loop.notifyPluginsOfStart()
        loop.begin(settings)
        try loop.setPoliciesOfStart(configuration.policies)
        // Counting begins after the replay.
        loop.stats = Counters()
        loop.stats.journalFindings = UInt64(opening.findings.count)
        loop.stats.earlierWaitingTimes = loop.state.scheduler.waitingTimes
        loop.pipeline.startCounting()
        // Timers come before the first publication: what ended while no broker ran is not published as shown.
        try loop.fireTimers()
        // What ended while no broker ran is not late.
        loop.stats.timerLateness = Histogram()
        return loop
    }

    private init(
        configuration: BrokerConfiguration, timeZones: LoadedTimeZones, transport: any Transport,
        journal: any Journal, plugins: PluginChain, logger: Logger,
        committer: (any Committer)?, epoch: UInt64, recovered: consuming BrokerState, at start: Milliseconds
    ) {
        self.configuration = configuration
        self.transport = transport
        pipeline = CommitPipeline(configuration, journal: journal, committer: committer, logger: logger)
        self.logger = logger
        self.epoch = epoch
        time = LoopTime(at: start, journal: recovered.time)
        let now = time.now
        startedAt = now
        state = recovered
        access = AccessControl(configuration.access)
        admission = Admission(configuration, timeZones: timeZones, plugins: plugins, epoch: epoch)
        queryHandler = QueryHandler(queryResults: configuration.limits.queryResults)
        acknowledgements = Acknowledgements(ProducerSessions.Bounds(configuration.limits), at: now)
        publisher = Publisher(configuration, transport: transport, logger: logger, epoch: epoch, at: now)
        forgetting = ForgettingLog(logger: logger)
        refusals = RefusalLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        cuts = CutConnectionLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        if time.lag > 0 {
            logger.warning(
                "the clock is behind the journal; time goes on from the journal's", metadata: ["ms": "\(time.lag)"])
        }
        leases.holdAll(of: state.scheduler, at: now)
    }

    /// Performs the work that is due: committed batches, subscriptions, timers, one batch of messages,
    /// repetitions; a bounded part of each.
    ///
    /// - Returns: Whether there may be more to do at once.
    /// - Throws: The error of the transport if it failed permanently.
    mutating func turn(at callersTime: Milliseconds) throws -> Bool {
        time.setClock(callersTime)
        budget = TurnBudget(workOfTurn)
        defer { budget = .unlimited }
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

    /// Handles subscriptions, and answers subscriptions to acknowledgements. Returns whether there may be more.
    private mutating func takeSubscriptions() throws -> Bool {
        var requests = SubscriptionRequests()
        let hasMore = try publisher.takeSubscriptions(in: &state, at: time.clock, &access, &requests)
        for (producer, channels) in requests.acks {
            guard let ack = acknowledgements.forSubscriber(of: producer, in: state.producers) else { continue }
            try publisher.publish(ack, in: state, to: channels)
        }
        log(requests)
        return hasMore
    }

    /// Records subscriptions while nothing may be published, and logs the connections that were cut. What was subscribed to
    /// is answered as soon as something may be.
    ///
    /// - Returns: Whether there may be more.
    mutating func recordSubscriptions() throws -> Bool {
        // Renewals of leases wait, too: they are read before leases end.
        leasesWait = true
        var requests = SubscriptionRequests()
        let hasMore = try publisher.recordSubscriptions(&access, state.producers, &requests)
        log(requests)
        recordCutConnections()
        return hasMore
    }

    /// Takes over the subscribers of the time before the broker owned its journal.
    private mutating func adopt(_ standby: StandbySubscribers) {
        var requests = SubscriptionRequests()
        publisher.adopt(standby.subscribers, &access, state.producers, &requests)
        log(requests)
    }

    /// Logs the subscriptions that cannot be answered.
    private mutating func log(_ requests: SubscriptionRequests) {
        for denial in requests.denials {
            refusals.log(.permissionDenied, denial, group: "", popup: "", at: now)
        }
        for topic in requests.invalidSyncs {
            let text = String(decoding: topic, as: UTF8.self)
            refusals.log(
                .invalid, "`\(text)` is not a topic of sync; use CLIENT/NONCE/ and a group name, or * for all groups",
                group: "", popup: "", at: now)
        }
    }

    /// Ends the reading under names that are no longer their users'.
    private mutating func endReadingOfLostNames() {
        let losers = access.takeLosersOfNames()
        if !losers.isEmpty { publisher.endReading(of: losers, access, state.producers) }
    }

    /// Publishes a bounded number of pending acknowledgements. Returns whether there are more.
    private mutating func sendAcks() throws -> Bool {
        guard publisher.wantsAcks else {
            acknowledgements.forgetPending()
            return false
        }
        var budget = PublishingBudget()
        while !budget.isSpent {
            guard let ack = acknowledgements.takePending(in: state.producers, at: now) else { return false }
            budget.spend(bytes: try publisher.publish(ack, in: state))
        }
        return acknowledgements.hasPending
    }

    /// Counts and logs the connections that were cut.
    private mutating func recordCutConnections() {
        for cut in transport.takeCutConnections() {
            stats.count(cut)
            cuts.log(cut, at: now)
        }
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
        var next = nextTimer.orEarlier(leases.nextDue).orEarlier(publisher.nextDue(in: state))
        if publisher.wantsAcks { next = next.orEarlier(acknowledgements.nextDue) }
        return next.map { time.byCallersClock($0) }
    }

    /// Whether a batch is being applied, or timers are due that exceeded the turn's budget.
    private var isUnfinished: Bool {
        if pipeline.isApplying { return true }
        guard let due = state.scheduler.nextDeadline else { return false }
        return due <= timersUntil
    }

    /// Applies and publishes everything that was received, stops receiving, and closes the journal.
    mutating func close() throws {
        try drain()
        if pipeline.isShared { try finishCalls() }
        transport.close()
        try pipeline.close()
    }
}
