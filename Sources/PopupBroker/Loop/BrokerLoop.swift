import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The broker's loop: one turn after another receives, admits, commits, applies and publishes.
///
/// It owns the state machine and the components, and passes values between them: no component knows another.
///
///     receive ──▶ Admission ──▶ CommitPipeline ──▶ BrokerState ──▶ Publisher ──▶ send
///                     ▲               ▲                 │ outcomes     ▲
///                     │ repetitions   │ ends of leases  ▼              │ acknowledgements
///              Acknowledgements     Leases ◀────────────┴─────▶ Acknowledgements
///
/// It belongs to one thread, reads no clock and never waits: `LoopRunner` does both for it. The steps of a turn stand
/// in files of their own beside this one.
struct BrokerLoop: ~Copyable {
    let configuration: BrokerConfiguration
    let transport: any Transport
    let logger: Logger
    let epoch: UInt64
    var startedAt: Milliseconds

    // The components.
    var admission: Admission
    var access: AccessControl
    var acknowledgements: Acknowledgements
    var pipeline: CommitPipeline
    var leases = Leases()
    var publisher: Publisher

    /// All that the journal determines.
    var state: BrokerState
    /// What the last steps of the state brought, until it is published and the plugins are told.
    var output = EventBuffer()

    /// The user whose command was applied last; empty for a client without a key.
    var actor = ""

    // Time.
    /// Until when all is decided. While a batch is in flight or is being applied it goes no further than to the time of
    /// that: the batch is applied before what is later.
    var now: Milliseconds
    /// What the clock says; never less than `now`.
    var clock: Milliseconds
    /// What the clock is behind: it was set back since the journal was written, and time goes on from the journal's.
    var clockLag: Milliseconds
    /// When it was last entered what the wall clock shows.
    var wallClockNotedAt = Milliseconds.min / 2
    /// What the log was told last of the wall clock: it is told once, however often it is entered until it is committed.
    var loggedWallClock: Milliseconds?
    /// An entry has set it: what quiet windows make due now comes before the next entry, a step each.
    var isWallClockSet = false

    /// Nothing is decided at an earlier time: when the last batch was committed, or until when timers were handled while
    /// one was in flight.
    var settledUntil: Milliseconds = .min
    /// When the scheduler was last to be told that the broker is there.
    var attendedAt = Milliseconds.min / 2

    /// What may be applied in one turn.
    var workOfTurn = TurnBudget.ofTurn
    /// What of it is left.
    var budget = TurnBudget.unlimited

    // Questions and calls.
    var queryHandler: QueryHandler
    /// Popups and groups that the questions of this turn went through which were answered while a batch is in flight.
    var repliedVisits = 0
    /// Replies that left while the present message is read: its questions came while a batch is in flight.
    var repliesOfMessage = 0
    /// What the transport threw meanwhile.
    var replyFailure: (any Error)?
    var calls = CallsInHand()

    // What is counted and logged.
    var stats = Counters()
    /// How long turns took; whoever makes them measures it.
    var turnTimes = TurnTimes()
    var forgetting: ForgettingLog
    var refusals: RefusalLog
    var cuts: CutConnectionLog

    /// A broker that the journal has been opened for: what it holds is applied, then the configured policies.
    ///
    /// - Parameters:
    ///   - timeZones: those that policies may name.
    ///   - committer: commits large batches beside the loop.
    ///   - supervisor: told of each batch that is applied again.
    /// - Throws: What the journal throws, and `CommandRefusal` for a policy or defaults that are invalid.
    static func start(
        configuration: BrokerConfiguration, timeZones: LoadedTimeZones, transport: any Transport,
        journal: any Journal, plugins: [any BrokerPlugin], logger: Logger, committer: (any Committer)? = nil,
        at now: Milliseconds, wallClockLead: Milliseconds = 0, supervisor: (any Supervisor)? = nil
    ) throws -> BrokerLoop {
        let opening = try journal.open()
        do {
            return try start(
                configuration: configuration, timeZones, transport: transport, journal: journal, opening,
                plugins: plugins, logger: logger, committer: committer, at: now, wallClockLead: wallClockLead,
                supervisor: supervisor)
        } catch {
            // Whoever tries again can open it.
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
                supervisor?.noteRecovery()
                try apply(batch)
            }
        }
        recovered.note(time: TimeLimits.nearest(to: journal.notedTime))
        try noteWallClock(journal, &recovered, ahead: wallClockLead, at: now)
        var loop = BrokerLoop(
            configuration: configuration, timeZones: timeZones, transport: transport, journal: journal,
            plugins: PluginChain(try ConfiguredPlugins(configuration), own: plugins), logger: logger,
            committer: committer, epoch: opening.epoch, recovered: recovered, at: now)
        loop.tellStart()
        loop.begin(settings)
        try loop.setPolicies(configuration.policies)
        // What is counted is what comes.
        loop.stats = Counters()
        loop.stats.journalFindings = UInt64(opening.findings.count)
        loop.pipeline.startCounting()
        // Before anybody is told what is shown: what ended while no broker ran is not shown again.
        try loop.fireTimers()
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
        // Time goes on from the journal's when the clock was set back since.
        now = max(start, recovered.time)
        clock = now
        clockLag = now - start
        startedAt = now
        state = recovered
        access = AccessControl(configuration.access)
        admission = Admission(configuration, timeZones: timeZones, plugins: plugins, epoch: epoch)
        queryHandler = QueryHandler(queryResults: configuration.limits.queryResults)
        acknowledgements = Acknowledgements(capacity: configuration.limits.maxProducers, at: now)
        publisher = Publisher(configuration, transport: transport, logger: logger, epoch: epoch, at: now)
        forgetting = ForgettingLog(logger: logger)
        refusals = RefusalLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        cuts = CutConnectionLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        if clockLag > 0 {
            logger.warning(
                "the clock is behind the journal; time goes on from the journal's", metadata: ["ms": "\(clockLag)"])
        }
        leases.holdAll(of: state.scheduler, at: now)
    }

    /// Does what there is to do at `time`: what was committed meanwhile, subscriptions, timers that are due, one batch
    /// of messages, repetitions; of each a bounded part.
    ///
    /// - Returns: Whether there may be more to do at once.
    /// - Throws: When the transport failed for good.
    mutating func turn(at time: Milliseconds) throws -> Bool {
        clock = max(clock, time + clockLag)
        budget = TurnBudget(workOfTurn)
        defer { budget = .unlimited }
        // What is committed is applied and published.
        let hasCompleted = try completeWhatIsDone()
        // A turn has one time: when a batch has completed, time goes on in the next.
        if !hasCompleted {
            advanceClock()
            try fireTimers()
        }
        let hasSubscriptions = try takeSubscriptions()
        noteCutConnections()
        // What is received is admitted, and committed or submitted.
        let hasMessages = try takeMessages(hasCompleted: hasCompleted)
        // What was published is sent again to those that missed it.
        let hasRepetitions = try republishDue()
        // Once a batch: those of the next one have nothing to say yet.
        let hasAcks = try !pipeline.isInFlight || hasCompleted ? sendAcks() : false
        let hasSyncs = try publisher.serveSyncs(in: &state, at: now)
        let hasMore =
            hasSubscriptions || hasMessages || hasRepetitions || hasAcks || hasSyncs || isUnfinished
        // A snapshot waits for a pause.
        if !hasMore { pipeline.snapshotIfDue(at: now) }
        return hasMore
    }

    /// Takes subscriptions, and answers those that ask for acknowledgements. Returns whether there may be more.
    private mutating func takeSubscriptions() throws -> Bool {
        var requests = SubscriptionRequests()
        let hasMore = try publisher.takeSubscriptions(in: &state, at: now, &access, &requests)
        for (producer, channels) in requests.acks {
            guard let ack = acknowledgements.forSubscriber(of: producer, in: state.producers) else { continue }
            try publisher.publish(ack, in: state, to: channels)
        }
        for denial in requests.denials {
            refusals.note(.permissionDenied, denial, group: "", popup: "", at: now)
        }
        for topic in requests.invalidSyncs {
            let text = String(decoding: topic, as: UTF8.self)
            refusals.note(
                .invalid, "`\(text)` is not a topic of sync; use CLIENT/NONCE/ and a group name, or * for all groups",
                group: "", popup: "", at: now)
        }
        return hasMore
    }

    /// Gives the acknowledgements that are owed, so many at most. Returns whether more are.
    private mutating func sendAcks() throws -> Bool {
        guard publisher.wantsAcks else {
            acknowledgements.forgetOwed()
            return false
        }
        var budget = PublishingBudget()
        while !budget.isSpent {
            guard let ack = acknowledgements.takeOwed(in: state.producers, at: now) else { return false }
            budget.spend(bytes: try publisher.publish(ack, in: state))
        }
        return acknowledgements.isOwing
    }

    /// Counts and logs the connections that were cut off.
    private mutating func noteCutConnections() {
        for cut in transport.takeCutConnections() {
            stats.connectionsCut += 1
            cuts.note(cut, at: now)
        }
    }

    /// When there is something to do though nothing is received, by the clock that tells `turn` the time. While a batch
    /// is in flight, that are timers until the time of the batch: what is later waits until it completes, which wakes
    /// the loop.
    var nextDeadline: Milliseconds? {
        if isUnfinished { return now - clockLag }
        if let timeInFlight = pipeline.timeInFlight {
            guard let due = state.scheduler.nextDeadline, due <= timeInFlight else { return nil }
            return due - clockLag
        }
        var next = state.scheduler.nextDeadline
        func consider(_ time: Milliseconds?) {
            if let time { next = min(next ?? time, time) }
        }
        consider(leases.nextDue)
        consider(publisher.nextDue(in: state))
        if publisher.wantsAcks { consider(acknowledgements.nextDue) }
        return next.map { $0 - clockLag }
    }

    /// A batch is being applied, or timers are due for which this turn had no time.
    private var isUnfinished: Bool {
        if pipeline.isApplying { return true }
        guard let due = state.scheduler.nextDeadline else { return false }
        return due <= now
    }

    /// Applies and publishes all that was received, takes no more messages, and closes the journal.
    mutating func close() throws {
        try drain()
        transport.close()
        try pipeline.close()
    }
}
