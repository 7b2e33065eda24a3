import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// What the broker's thread does: takes messages and time, commits, applies, publishes. It belongs to one thread, reads
/// no clock and never waits.
///
///     receive → decode, check, plugins → journal, one commit → scheduler → publish → plugins
///
/// The steps stand in files of their own beside this one.
struct BrokerCore: ~Copyable {
    let configuration: BrokerConfiguration
    let transport: any Transport
    let journal: any Journal
    /// `nil` for a journal that keeps no snapshots.
    let snapshotter: Snapshotter?
    var configuredPlugins: ConfiguredPlugins
    /// Those of the embedding application.
    let ownPlugins: [any BrokerPlugin]
    /// All, in the order in which they are asked.
    var plugins: [any BrokerPlugin]
    let logger: Logger
    let epoch: UInt64
    var startedAt: Milliseconds
    let wireLimits: WireLimits

    // Deciding.
    var scheduler: Scheduler
    var output = EventBuffer()
    var now: Milliseconds
    /// What the clock is behind: it was set back since the journal was written, and time goes on from the journal's.
    var clockLag: Milliseconds

    // The present batch.
    var log = CommandLog()
    var entries: [BatchEntry] = []
    /// What the ordinary `show`s of the batch ask for: beside the entries, so that these are small to pass on.
    var requests: [PopupRequest] = []
    var admission: CommandAdmission
    var translator = CommandTranslator(leasesRunOut: false)
    var leases = LeaseKeeper()
    var answerer: QuestionAnswerer
    /// What came of calls from other threads, by their numbers.
    var answeredCalls: [(call: Int, refusal: CommandRefusal?)] = []
    /// The commands of the batch that receipts are to be given for.
    var numbered = NumberedBatch()
    /// Which sequences of which producers are settled, as the journal has it.
    var producers: ProducerLedger
    /// The time zones that policies go by, as they were journaled.
    var timeZones: TimeZoneTable
    /// Those that the present batch has.
    var enteredZones = TimeZoneTable()
    /// The policies that the configuration set, as they were journaled.
    var configuredPolicies: [WireSetPolicy]
    /// Within which limits the journal says that the scheduler goes.
    var begun: Beginning?

    // Publishing.
    var interest = Interest()
    var desk: ReceiptDesk
    var syncs: Syncs
    var repetitions = Repetitions()
    var refresh: Refresh
    var changes: RecentChanges
    var publishedEvents = 0
    var publishedChanges = 0
    var topic: [UInt8] = []
    var state = StateWriter()
    var body: [UInt8] = []
    var feed: [UInt8] = []
    var stats = WireStatsResult()
    var refusals: RefusalLog
    var failures: CommitFailureLog

    /// A broker that the journal has been opened for: what it holds is applied, then the configured policies.
    ///
    /// - Throws: What the journal throws, and `CommandRefusal` for a policy or defaults that are invalid.
    static func start(
        configuration: BrokerConfiguration, transport: any Transport, journal: any Journal,
        plugins: [any BrokerPlugin], logger: Logger, at now: Milliseconds
    ) throws -> BrokerCore {
        let opening = try journal.open()
        for finding in opening.findings {
            logger.critical("the journal is not as it was written", metadata: ["finding": "\(finding)"])
        }
        let beginning = Beginning(configuration)
        var recovered = try RecoveredState.recover(from: journal.newestSnapshot(), beginning) {
            try journal.replay(from: $0, $1)
        }
        recovered.time = max(recovered.time, journal.notedTime)
        var core = BrokerCore(
            configuration: configuration, transport: transport, journal: journal,
            configuredPlugins: try ConfiguredPlugins(configuration), ownPlugins: plugins, logger: logger,
            epoch: opening.epoch, recovered: recovered, at: now)
        core.begin(beginning)
        try core.setPolicies(configuration.policies)
        // What is counted is what comes.
        core.stats = WireStatsResult()
        // Before anybody is told what is shown: what ended while no broker ran is not shown again.
        try core.fireTimers()
        return core
    }

    private init(
        configuration: BrokerConfiguration, transport: any Transport, journal: any Journal,
        configuredPlugins: ConfiguredPlugins, ownPlugins: [any BrokerPlugin], logger: Logger, epoch: UInt64,
        recovered: consuming RecoveredState, at clock: Milliseconds
    ) {
        self.configuration = configuration
        self.transport = transport
        self.journal = journal
        snapshotter = journal.archive.map {
            Snapshotter(
                archive: $0, Beginning(configuration), logger: logger)
        }
        self.configuredPlugins = configuredPlugins
        self.ownPlugins = ownPlugins
        plugins = configuredPlugins.list + ownPlugins
        self.logger = logger
        self.epoch = epoch
        // Time goes on from the journal's when the clock was set back since.
        now = max(clock, recovered.time)
        clockLag = now - clock
        startedAt = now
        timeZones = recovered.timeZones
        configuredPolicies = recovered.configuredPolicies
        begun = recovered.beginning
        scheduler = recovered.scheduler
        wireLimits = WireLimits(contentBytes: configuration.limits.popupContentBytes)
        admission = CommandAdmission(epoch: epoch, limits: wireLimits)
        answerer = QuestionAnswerer(answerPopups: configuration.limits.answerPopups)
        producers = recovered.producers
        desk = ReceiptDesk(capacity: configuration.limits.producers, at: now)
        syncs = Syncs(mostUnderWay: configuration.limits.syncs, mostWaiting: configuration.limits.waitingSyncs)
        refresh = Refresh(interval: configuration.refreshInterval, at: now)
        changes = RecentChanges(at: now)
        failures = CommitFailureLog(logger: logger)
        refusals = RefusalLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        if clockLag > 0 {
            logger.warning(
                "the clock is behind the journal; time goes on from the journal's", metadata: ["ms": "\(clockLag)"])
        }
        holdLeases()
    }

    /// Does what there is to do at `now`: subscriptions, timers that are due, one batch of messages, repetitions.
    ///
    /// - Returns: Whether there may be more to do at once.
    /// - Throws: When the transport failed for good.
    mutating func turn(at time: Milliseconds) throws -> Bool {
        letTimePass(until: time)
        let hasSubscriptions = try takeSubscriptions()
        try fireTimers()
        let hasMessages = try takeMessages()
        try tellAgain()
        let hasReceipts = try giveReceipts()
        let hasSyncs = try serveSyncs()
        return hasSubscriptions || hasMessages || hasReceipts || hasSyncs
    }

    /// When there is something to do though nothing is received, by the clock that tells `turn` the time.
    var nextDeadline: Milliseconds? {
        var next = scheduler.nextDeadline
        func consider(_ time: Milliseconds?) {
            if let time { next = min(next ?? time, time) }
        }
        consider(leases.nextDue)
        consider(repetitions.due)
        if wantsStates { consider(refresh.nextDue(capacity: scheduler.groupCapacity)) }
        if interest.channels.contains(.heads) { consider(changes.due) }
        if wantsReceipts { consider(desk.nextDue) }
        return next.map { $0 - clockLag }
    }

    /// Takes no more messages and closes the journal.
    mutating func close() throws {
        transport.close()
        snapshotter?.stop()
        try journal.close()
    }

    var wantsStates: Bool { !interest.channels.isDisjoint(with: [.state, .stateJSON]) }
}

/// One entry of the present batch, in the order in which they came.
struct BatchEntry {
    enum Content {
        /// An ordinary `show`: its place among the batch's requests, whose ranges refer to the entry's bytes.
        case show(Int)
        /// A command that is translated when it is its turn.
        case decoded(WireCommand)
        /// A policy that is taken back; its pattern is the entry's bytes.
        case removedPolicy
        /// A time zone that the policies after it go by.
        case timeZone(TimeZoneData)
        /// The limits within which the scheduler goes on.
        case beginning(Beginning)
        /// A question.
        case query(WireQuery)
        /// What was not admitted; who asked a question is answered so.
        case refused(CommandRefusal, WireQuery?)
        /// What was settled before, for whoever called from another thread.
        case repetition(CommandRefusal?)
    }

    var content: Content
    var kind: CommandKind?
    var producer: ProducerName?
    /// Its bytes in the batch's log; empty for what isn't committed.
    var range: Range<Int> = 0..<0
    /// Whom to tell the outcome: the number of a call from another thread.
    var call: Int?
    /// Which of the batch's numbered commands it is; `unnumbered`: no receipt is asked for.
    var number = Self.unnumbered

    static let unnumbered: Int32 = -1
}
