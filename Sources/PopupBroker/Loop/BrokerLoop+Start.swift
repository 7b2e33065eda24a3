import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupState

// The start: the journal is replayed, then what the configuration says is committed to it.
extension BrokerLoop {
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
        let telemetry = Telemetry(configuration, logger: logger)
        for finding in opening.findings { telemetry.report(finding) }
        let settings = JournaledSettings(configuration)
        var recovered = try BrokerState.recover(from: journal.newestSnapshot(), settings) { sequence, apply in
            try journal.replay(from: sequence) { batch in
                supervisor?.recordRecovery()
                try apply(batch)
            }
        }
        recovered.record(time: TimeLimits.nearest(to: journal.recordedTime))
        try recordWallClock(journal, &recovered, ahead: wallClockLead, at: now)
        var loop = BrokerLoop(
            configuration: configuration, timeZones: timeZones, transport: transport, journal: journal,
            plugins: PluginChain(try ConfiguredPlugins(configuration), own: plugins), telemetry: telemetry,
            logger: logger, committer: committer, epoch: opening.epoch, recovered: recovered, at: now)
        loop.notifyPluginsOfStart()
        loop.begin(settings)
        try loop.setPoliciesOfStart(configuration.policies)
        loop.telemetry.beginCounting(findings: opening.findings.count, waitingTimes: loop.state.scheduler.waitingTimes)
        loop.pipeline.startCounting()
        // Timers come before the first publication: what ended while no broker ran is not published as shown.
        try loop.fireTimers()
        loop.telemetry.forgetLateness()
        return loop
    }

    private init(
        configuration: BrokerConfiguration, timeZones: LoadedTimeZones, transport: any Transport,
        journal: any Journal, plugins: PluginChain, telemetry: Telemetry, logger: Logger,
        committer: (any Committer)?, epoch: UInt64, recovered: consuming BrokerState, at start: Milliseconds
    ) {
        self.transport = transport
        time = LoopTime(at: start, journal: recovered.time)
        let now = time.now
        state = recovered
        access = AccessControl(configuration.access)
        admission = Admission(configuration, timeZones: timeZones, plugins: plugins, epoch: epoch)
        acknowledgements = Acknowledgements(ProducerSessions.Bounds(configuration.limits), at: now)
        pipeline = CommitPipeline(configuration, journal: journal, committer: committer, logger: logger)
        publisher = Publisher(configuration, transport: transport, logger: logger, epoch: epoch, at: now)
        replies = Replies(queryResults: configuration.limits.queryResults)
        calls = PendingCalls(limit: configuration.limits.pendingCalls)
        self.telemetry = telemetry
        if time.lag > 0 { telemetry.reportLag(time.lag) }
        leases.holdAll(of: state.scheduler, at: now)
    }

    /// Records the wall clock at the start in the journal, before the time advances. So quiet windows that ended while
    /// no broker ran end by the current wall clock.
    ///
    /// Not inlined: the optimizer of Swift 6.3.1 aborts when it inlines this into `start`.
    @inline(never)
    private static func recordWallClock(
        _ journal: any Journal, _ state: inout BrokerState, ahead lead: Milliseconds, at start: Milliseconds
    ) throws {
        let setting = WallClockEntry(ahead: lead + start - max(start, state.time))
        // A new journal begins with the settings. The first turn records the wall clock after them.
        guard state.settings != nil, OwnEntries.isSet(setting.ahead, from: state.scheduler.wallClockLead)
        else { return }
        var log = CommandLog()
        log.append(.wallClock, setting.bytes.span.bytes)
        let sequence = try journal.append(log.bytes.span.bytes, at: state.time)
        var output = EventBuffer()
        try state.apply(JournalBatch(sequence: sequence, time: state.time, commands: log.bytes), into: &output)
    }

    /// Adds the limits of the broker to the batch, unless the journal already contains them. The seed of a scheduler
    /// that is not empty stays the same.
    private mutating func begin(_ settings: JournaledSettings) {
        guard state.settings?.limits != settings.limits || state.settings?.producers != settings.producers else {
            return
        }
        enter(settings)
    }

    /// Notifies the plugins of the state with which the broker starts.
    private func notifyPluginsOfStart() {
        guard admission.hasPlugins else { return }
        admission.notifyPlugins(
            of: BrokerStart(
                epoch: epoch, time: now, wallClockLead: state.scheduler.wallClockLead,
                configuredPolicies: state.configuredPolicies))
    }

    /// Takes over the subscribers of the time before the broker owned its journal.
    private mutating func adopt(_ standby: StandbySubscribers) {
        var requests = SubscriptionRequests()
        publisher.adopt(standby.subscribers, &access, state.producers, &requests)
        telemetry.reportRefused(requests, at: now)
    }
}
