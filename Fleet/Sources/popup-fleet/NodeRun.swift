internal import BrokerService
internal import Dispatch
internal import EtcdLog
internal import FleetService
internal import FleetState
internal import PopupBroker
internal import PopupConfiguration
internal import PopupFleet
internal import PopupJournal
internal import PopupProtocol

/// The run of a node and of the broker beside it: a standby, then perhaps the owner, until the process is to end.
struct NodeRun: Sendable {
    /// The settings of a node.
    struct Settings: Sendable {
        var shard: String
        var node: String
        var rank: Int
        /// The quota of etcd in bytes; `nil`: commands are not refused before it is reached.
        var quota: Int64?
        /// The address of the metrics.
        var metrics: String?
    }

    private let settings: Settings
    private let log: EtcdLog
    private let loader: ConfigurationLoader
    private let shared: SharedText
    private let streams: StandardStreams
    private let proof = TenureProof()
    private let beginning = TenureBeginning()
    private let runner: FleetRunner<BrokerReplica>
    private let quota: QuotaGuard
    private let presence: NodePresence
    /// Whether an operator has asked the node to hand over.
    private let isAsked = Switch()
    private let requests: AsyncStream<SharedJournal.Request>
    private let asking: AsyncStream<SharedJournal.Request>.Continuation

    /// Creates a run that has not begun.
    init(
        _ settings: Settings, on log: EtcdLog, _ loader: ConfigurationLoader, _ shared: SharedText,
        _ streams: StandardStreams
    ) {
        self.settings = settings
        self.log = log
        self.loader = loader
        self.shared = shared
        self.streams = streams
        var random = SystemRandomNumberGenerator()
        runner = FleetRunner(
            LogOwner(high: random.next(), low: random.next()), rank: settings.rank, log: log, proof: proof,
            report: { streams.say($0) })
        quota = QuotaGuard(quota: settings.quota)
        presence = NodePresence(
            NodeRecord(node: settings.node, version: ProductVersion.current, level: LogHead.newestLevel), log)
        (requests, asking) = AsyncStream.makeStream()
    }

    /// Runs the node and its broker. Returns the exit code of the process.
    func run() async -> Int32 {
        let metrics: MetricsServer?
        do throws(MetricsServer.Failure) { metrics = try metricsServer() } catch {
            streams.fail("\(error)")
            return ExitStatus.unavailable.rawValue
        }
        defer { withExtendedLifetime(metrics) {} }
        let signals = StopSignals {
            ProcessEnd.within()
            // The broker's process may not catch signals yet.
            asking.yield(.stop)
        }
        defer { signals.end() }
        await warnOfTwin()
        let end = Task { await runNode() }
        let work = beginWork()
        defer { for task in work { task.cancel() } }
        presence.begin { await runner.gauges.index }
        let status = await BrokerService(name: "popup-fleet", configuration: loader, streams: streams)
            .run(plugins: quota.quota == nil ? [] : [quota], on: journal())
        return await finish(status, of: end)
    }

    // MARK: - The parts

    private func metricsServer() throws(MetricsServer.Failure) -> MetricsServer? {
        guard let address = settings.metrics else { return nil }
        let name = (shard: settings.shard, node: settings.node, version: ProductVersion.current)
        return try MetricsServer(address) {
            let gauges = await runner.gauges
            // A supervisor that asks is to end a broker that hangs.
            return gauges.isHanging ? nil : gauges.metrics(of: name, quota)
        }
    }

    private func warnOfTwin() async {
        guard let nodes = try? await log.nodes(), nodes.contains(where: { $0.node == settings.node }) else { return }
        streams.say(
            "a node \(settings.node) runs, or has been killed less than 10 s ago: each node of a shard needs a name of its "
                + "own")
    }

    /// Begins what goes on beside the broker: what operators ask for, how full etcd is, when the tenure begins.
    private func beginWork() -> [Task<Void, Never>] {
        [
            Task { await obeyOperators() }, Task { await watchQuota() },
            Task {
                let start = await runner.tenure()
                if let start { presence.change { $0.epoch = start.epoch } }
                beginning.set(start)
            },
        ]
    }

    private func journal() -> sending SharedJournal {
        SharedJournal(
            journal: FleetJournal(runner, proof, beginning), tenure: proof, clock: TenureTime(beginning),
            requests: requests,
            onStandby: { endpoints in
                let (ingress, egress) = (endpoints.ingress, endpoints.egress)
                presence.change { ($0.ingress, $0.egress) = (ingress, egress) }
                streams.print("standby node=\(settings.node) ingress=\(ingress) egress=\(egress)")
            },
            onConfiguration: { use in
                switch use {
                case .inForce: shared.take()
                case .withoutPolicies: shared.refusePolicies()
                }
                presence.change { $0.configuration = shared.said }
            })
    }

    // MARK: - Beside the broker

    private func obeyOperators() async {
        for await request in runner.requests {
            switch request {
            case .configure(let bytes):
                if shared.want(bytes) { asking.yield(.reload) }
            case .stop:
                isAsked.set()
                ProcessEnd.within()
                asking.yield(.stop)
            }
        }
    }

    /// Looks up again and again how full etcd is. Nothing changes while no member answers.
    private func watchQuota() async {
        while !Task.isCancelled {
            let members = await log.statusOfMembers().compactMap(\.status)
            if let file = members.map(\.byteCount).max(), let used = members.map(\.usedByteCount).max() {
                let isAlarmed = members.contains { $0.problems.contains { $0.contains("NOSPACE") } }
                quota.record(QuotaGuard.Use(fileBytes: file, usedBytes: used, isAlarmed: isAlarmed))
            }
            try? await Task.sleep(for: .milliseconds(Int(QuotaGuard.interval)))
        }
    }

    // MARK: - The end

    /// The time in seconds before the end of the process at which it says so: a thread has to write it.
    private static let lastWords = 0.5
    /// The time in ms for which a node has to hand over whose broker has failed. Afterwards its claim ends by itself.
    private static let handOverPatience = 5000

    /// Runs the node, and returns why it ends. A broker that hangs does not notice that: the process ends without it.
    private func runNode() async -> FleetEnd {
        let reason = await runner.run()
        DispatchQueue.global().asyncAfter(deadline: .now() + ProcessEnd.patience - Self.lastWords) {
            streams.fail("this node has ended, but its broker still runs: the process ends without it")
        }
        ProcessEnd.within(exitCode(of: reason))
        return reason
    }

    /// Ends the node after its broker. Returns the exit code.
    private func finish(_ status: ExitStatus, of end: Task<FleetEnd, Never>) async -> Int32 {
        if status != .overtaken {
            // Nothing, if the broker has handed over. One that was stopped, or has failed, before it began may own the log.
            await runner.handOver(handled: beginning.begins ?? 0)
        }
        guard status == .success || status == .overtaken else {
            // It cannot run here: another node may. Without etcd the node cannot end.
            ProcessEnd.within(status.rawValue)
            await proof.end(withinMilliseconds: Self.handOverPatience)
            await presence.end()
            return status.rawValue
        }
        let reason = await end.value
        await presence.end()
        if let sentence = Self.sentence(for: reason) { streams.fail(sentence) }
        return exitCode(of: reason)
    }

    /// Returns the exit code for the end of the node. After a hand-over that an operator has asked for, nobody has stopped the
    /// service: its supervisor is to start a standby.
    private func exitCode(of reason: FleetEnd) -> Int32 {
        isAsked.isSet && reason == .handedOver ? FleetEnd.overtaken.exitCode : reason.exitCode
    }

    private static func sentence(for end: FleetEnd) -> String? {
        switch end {
        case .overtaken: "another node owns the shard now; start this one again as a standby"
        case .handedOver: nil
        case .logIsMissing: "the log of the shard is gone"
        // The node has said which error it was.
        case .replicaDiffers, .levelIsNewer, .entryIsNewer: nil
        }
    }
}
