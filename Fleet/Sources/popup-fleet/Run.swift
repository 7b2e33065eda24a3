internal import ArgumentParser
internal import BrokerService
internal import Dispatch
internal import EtcdLog
internal import FleetService
internal import FleetState
internal import Foundation
internal import PopupConfiguration
internal import PopupFleet
internal import PopupJournal

/// Runs a node: a standby that follows the log, then perhaps the broker that owns it.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a node of a shard until SIGTERM or SIGINT: a standby, then perhaps its broker.",
        discussion: """
            A standby prints `popup-fleet standby node=…`, and binds nothing. When nobody owns the log any more, one of the \
            standbys takes it over, binds its endpoints and prints `popup-fleet ready …`. A process owns the log once: if \
            another one takes it over, it ends with 76, and its supervisor starts a new standby.
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

    /// The time in seconds for which a node that starts waits for etcd.
    private static let etcdPatience = 30
    /// The time in seconds after a signal at which the process ends whatever is under way.
    private static let patience = 10.0

    func validate() throws {
        guard (0...100).contains(rank) else { throw ValidationError("--rank \(rank): give 0 to 100.") }
        guard (1...64).contains(node.utf8.count) else { throw ValidationError("--node: give a name of 1 to 64 bytes.") }
        for setting in settings where !setting.contains("=") {
            throw ValidationError("--set \(setting): give KEY=VALUE, for example --set limits.groups=1000.")
        }
    }

    func run() async throws {
        let loader = ConfigurationLoader.ofProcess(file: config, flags: flags)
        // A mistake is told by the standby, and not by the one that takes over.
        do {
            _ = try loader.load()
        } catch {
            for problem in error.problems { say("\(problem)") }
            throw ExitCode(78)
        }
        var code: Int32 = 0
        try await options.withLog(as: node, leaseSeconds: leaseSeconds) { log in
            try await waitForEtcd(log)
            code = await run(on: log, loader)
        }
        throw ExitCode(code)
    }

    /// Checks the log. An etcd that does not answer may be about to start.
    private func waitForEtcd(_ log: EtcdLog) async throws {
        let end = ContinuousClock.now + .seconds(Self.etcdPatience)
        while true {
            do {
                return try await log.check()
            } catch .absent(let reason) {
                guard ContinuousClock.now < end else { throw EtcdProblem.absent(reason) }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func run(on log: EtcdLog, _ loader: ConfigurationLoader) async -> Int32 {
        var random = SystemRandomNumberGenerator()
        let identity = LogOwner(high: random.next(), low: random.next())
        let proof = TenureProof()
        let runner = FleetRunner<BrokerReplica>(identity, rank: rank, log: log, proof: proof)
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                Task { await runner.leaveStandby() }
                // Whatever is under way: nothing is lost that was acknowledged.
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { _exit(75) }
            }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        async let end = runner.run()
        FileHandle.standardOutput.write(Data("popup-fleet standby node=\(node)\n".utf8))
        if let start = await runner.tenure() {
            let status = await BrokerService(name: "popup-fleet", configuration: loader).run(
                on: SharedJournal(
                    journal: FleetJournal(runner, proof, start), tenure: proof, clock: TenureTime(start)))
            if status != .success, status != .overtaken {
                // It cannot run here: another node may.
                await runner.handOver(handled: start.begins)
                proof.waitForEnd(milliseconds: 5000)
                return status.rawValue
            }
        }
        let reason = await end
        if let sentence = Self.sentence(for: reason) { say(sentence) }
        return reason.exitCode
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

    private func say(_ sentence: String) {
        FileHandle.standardError.write(Data("popup-fleet: \(sentence)\n".utf8))
    }

    private static func sentence(for end: FleetEnd) -> String? {
        switch end {
        case .overtaken: "another node owns the shard now; start this one again as a standby"
        case .handedOver: nil
        case .logIsMissing: "the log of the shard is gone"
        case .replicaDiffers:
            "the state of this node is not that of the log, or the log cannot be read; nothing is published"
        }
    }
}
