internal import ArgumentParser
internal import BrokerService
internal import EtcdLog
internal import FleetService
internal import PopupConfiguration
internal import PopupJournal

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
        let streams = try StandardStreams(program: "popup-fleet")
        defer { streams.flush() }
        var loader = ConfigurationLoader.ofProcess(file: config, flags: flags)
        // A mistake is told by the standby, and not by the one that takes over.
        try check(loader, streams)
        var code: Int32 = 0
        try await options.withLog(as: node, leaseSeconds: leaseSeconds, say: streams.fail) { log in
            let shared = SharedText(try await waitForEtcd(log))
            loader.shared = { shared.read() }
            try check(loader, streams)
            let settings = NodeRun.Settings(
                shard: options.shard, node: node, rank: rank, quota: quotaBytes == 0 ? nil : quotaBytes,
                metrics: metrics)
            code = await NodeRun(settings, on: log, loader, shared, streams).run()
        }
        throw ExitCode(code)
    }

    private func check(_ loader: ConfigurationLoader, _ streams: StandardStreams) throws {
        do {
            _ = try loader.load()
        } catch {
            for problem in error.problems { streams.fail("\(problem)") }
            throw ExitCode(ExitStatus.configuration.rawValue)
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
}
