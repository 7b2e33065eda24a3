internal import ArgumentParser
internal import BrokerService
internal import Dispatch
internal import EtcdLog
internal import FleetService
internal import FleetState
internal import Foundation
internal import PopupBroker
internal import PopupConfiguration
internal import PopupFleet
internal import PopupJournal
internal import PopupProtocol

/// Runs a node: a standby that follows the log, then perhaps the broker that owns it.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a node of a shard until SIGTERM or SIGINT: a standby, then perhaps its broker.",
        discussion: """
            A standby prints `popup-fleet standby node=…` with its endpoints, to which clients connect, and takes no \
            commands. When nobody owns the log any more, one of the standbys takes it over and prints \
            `popup-fleet ready …`. A process owns the log once: if another one takes it over, it ends with 76, and its \
            supervisor starts a new standby.
            """)
    @OptionGroup var options: LogOptions
    @Option(help: "The name of this node, for the others.")
    var node: String
    @Option(help: "The place in the order in which standbys try to take over: 0 for the first.")
    var rank = 0
    @Option(
        name: .customLong("lease"),
        help: "How long the shard may be without a sign of its owner, in seconds: 2 to 60.")
    var leaseSeconds = 4
    @Option(name: .shortAndLong, help: "The configuration file of the broker; also POPUP_BROKER_CONFIG.")
    var config: String?
    @Option(help: "The endpoint for commands, of this node.")
    var ingress: String?
    @Option(help: "The endpoint for states, events and replies, of this node.")
    var egress: String?
    @Option(name: .customLong("set"), help: "Any other setting of the broker, as KEY=VALUE. May be repeated.")
    var settings: [String] = []
    @Option(
        help: "The `--quota-backend-bytes` of etcd. Commands that need room are refused before it is reached; 0: never."
    )
    var quotaBytes: Int64 = 2 << 30
    @Option(help: "The address at which `GET /metrics` is answered for Prometheus, such as 127.0.0.1:9570.")
    var metrics: String?

    /// The time in seconds for which a node that starts waits for etcd.
    private static let etcdPatience = 30
    /// The time in seconds after a signal, or after the end of its node, at which the process ends whatever is under way.
    private static let patience = 10.0

    func validate() throws {
        guard (0...100).contains(rank) else { throw ValidationError("--rank \(rank): give 0 to 100.") }
        guard (1...64).contains(node.utf8.count) else { throw ValidationError("--node: give a name of 1 to 64 bytes.") }
        for setting in settings where !setting.contains("=") {
            throw ValidationError("--set \(setting): give KEY=VALUE, for example --set limits.groups=1000.")
        }
        if let metrics {
            do throws(MetricsServer.Failure) { try MetricsServer.check(metrics) } catch {
                throw ValidationError("\(error)")
            }
        }
        guard quotaBytes == 0 || quotaBytes >= 1 << 20 else {
            throw ValidationError("--quota-bytes \(quotaBytes): give at least 1048576, or 0.")
        }
    }

    func run() async throws {
        var loader = ConfigurationLoader.ofProcess(file: config, flags: flags)
        let shared = SharedText()
        loader.shared = { shared.configuration }
        var code: Int32 = 0
        // A mistake is told by the standby, and not by the one that takes over.
        try check(loader)
        try await options.withLog(as: node, leaseSeconds: leaseSeconds) { [loader] log in
            shared.set(try await waitForEtcd(log))
            try check(loader)
            code = try await run(on: log, loader, shared)
        }
        throw ExitCode(code)
    }

    private func check(_ loader: ConfigurationLoader) throws {
        do {
            _ = try loader.load()
        } catch {
            for problem in error.problems { Say.sentence("\(problem)") }
            throw ExitCode(78)
        }
    }

    /// Checks the log, and returns the configuration that all nodes share. An etcd that does not answer may be about to
    /// start.
    private func waitForEtcd(_ log: EtcdLog) async throws -> [UInt8]? {
        let end = ContinuousClock.now + .seconds(Self.etcdPatience)
        while true {
            do {
                try await log.check()
                return try await log.orders().configuration
            } catch EtcdProblem.absent(let reason) {
                guard ContinuousClock.now < end else { throw EtcdProblem.absent(reason) }
            } catch SharedLogError.unknown(let reason) {
                guard ContinuousClock.now < end else { throw EtcdProblem.absent(reason) }
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func run(on log: EtcdLog, _ loader: ConfigurationLoader, _ shared: SharedText) async throws -> Int32 {
        var random = SystemRandomNumberGenerator()
        let identity = LogOwner(high: random.next(), low: random.next())
        let (proof, beginning) = (TenureProof(), TenureBeginning())
        let runner = FleetRunner<BrokerReplica>(
            identity, rank: rank, log: log, proof: proof, report: { Say.sentence($0) })
        let quota = QuotaGuard(quota: quotaBytes == 0 ? nil : quotaBytes)
        let name = (shard: options.shard, node: node, version: ProductVersion.current)
        let server: MetricsServer?
        do {
            server = try metrics.map {
                try MetricsServer($0) {
                    let gauges = await runner.gauges
                    // A supervisor that asks is to end a broker that hangs.
                    return gauges.isHanging ? nil : gauges.metrics(of: name, quota)
                }
            }
        } catch let failure as MetricsServer.Failure {
            Say.sentence("\(failure)")
            return 69
        }
        defer { withExtendedLifetime(server) {} }
        let (requests, asking) = AsyncStream.makeStream(of: SharedJournal.Request.self)
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                Self.endInTime()
                // The broker's process may not catch signals yet.
                asking.yield(.stop)
            }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        let presence = NodePresence(
            NodeRecord(node: node, version: ProductVersion.current, level: LogHead.newestLevel), log)
        presence.change { $0.configuration = shared.checksum }
        if let nodes = try? await log.nodes(), nodes.contains(where: { $0.node == node }) {
            Say.sentence(
                "a node \(node) runs, or has been killed less than 10 s ago: each node of a shard needs a name of its own"
            )
        }

        let isAsked = Switch()
        // Nobody has stopped the service: its supervisor is to start a standby.
        let exitCode: @Sendable (FleetEnd) -> Int32 = { [isAsked] reason in
            isAsked.isSet && reason == .handedOver ? FleetEnd.overtaken.exitCode : reason.exitCode
        }
        async let end = Self.runNode(runner, exitCode)
        let following = Task { [requests = runner.requests] in
            for await request in requests {
                switch request {
                case .configure(let bytes):
                    guard bytes != shared.bytes else { continue }
                    shared.set(bytes)
                    asking.yield(
                        .reload { isInForce in
                            if isInForce { presence.change { $0.configuration = shared.checksum } }
                        })
                case .stop:
                    isAsked.set()
                    Self.endInTime()
                    asking.yield(.stop)
                }
            }
        }
        let watching = Task { await watch(quota, log) }
        let announcing = Task { await presence.run { await runner.gauges.index } }
        Task {
            let start = await runner.tenure()
            if let start { presence.change { $0.epoch = start.epoch } }
            beginning.set(start)
        }
        defer { for task in [following, watching, announcing] { task.cancel() } }

        let journal = SharedJournal(
            journal: FleetJournal(runner, proof, beginning), tenure: proof, clock: TenureTime(beginning),
            requests: requests,
            onStandby: { [node] endpoints in
                presence.change { ($0.ingress, $0.egress) = (endpoints.ingress, endpoints.egress) }
                let words = "standby node=\(node) ingress=\(endpoints.ingress) egress=\(endpoints.egress)"
                FileHandle.standardOutput.write(Data("popup-fleet \(words)\n".utf8))
            })
        let status = await BrokerService(name: "popup-fleet", configuration: loader).run(
            plugins: quota.quota == nil ? [] : [quota], on: journal)
        if status != .overtaken {
            // Nothing, if the broker has handed over. One that was stopped, or has failed, before it began may own the log.
            await runner.handOver(handled: beginning.begins ?? 0)
        }
        if status != .success, status != .overtaken {
            // It cannot run here: another node may.
            await proof.end(withinMilliseconds: 5000)
            await presence.end()
            return status.rawValue
        }
        let reason = await end
        await presence.end()
        if let sentence = Self.sentence(for: reason) { Say.sentence(sentence) }
        return exitCode(reason)
    }

    /// Runs the node, and returns why it ends. A broker that hangs does not notice that: the process ends without it.
    private static func runNode(
        _ runner: FleetRunner<BrokerReplica>, _ exitCode: @escaping @Sendable (FleetEnd) -> Int32
    ) async -> FleetEnd {
        let reason = await runner.run()
        // Some time before the end: writing it may block.
        DispatchQueue.global().asyncAfter(deadline: .now() + patience - 0.5) {
            Say.sentence("this node has ended, but its broker still runs: the process ends without it")
        }
        endInTime(exitCode(reason))
        return reason
    }

    /// Ends the process after a time, whatever is under way: nothing is lost that was acknowledged.
    private static func endInTime(_ code: Int32 = 75) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { _exit(code) }
    }

    /// Looks up again and again how full etcd is. Nothing changes while no member answers.
    private func watch(_ quota: QuotaGuard, _ log: EtcdLog) async {
        while !Task.isCancelled {
            let members = await log.statusOfMembers().compactMap(\.status)
            if let file = members.map(\.byteCount).max(), let used = members.map(\.usedByteCount).max() {
                let isAlarmed = members.contains { $0.problems.contains { $0.contains("NOSPACE") } }
                quota.record(QuotaGuard.Use(fileBytes: file, usedBytes: used, isAlarmed: isAlarmed))
            }
            try? await Task.sleep(for: .milliseconds(Int(QuotaGuard.interval)))
        }
    }

    private var flags: [ConfigurationLoader.Flag] {
        let named = [("--ingress", "ingress.endpoint", ingress), ("--egress", "egress.endpoint", egress)]
        return settings.map { setting in
            let key = String(setting.prefix { $0 != "=" })
            return ConfigurationLoader.Flag(
                key: key, value: String(setting.dropFirst(key.count + 1)), spelling: "--set \(key)")
        }
            + named.compactMap { name, key, value in
                value.map { ConfigurationLoader.Flag(key: key, value: $0, spelling: name) }
            }
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
