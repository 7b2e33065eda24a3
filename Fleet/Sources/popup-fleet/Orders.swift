internal import ArgumentParser
internal import EtcdLog
internal import Foundation
internal import PopupBroker
internal import PopupConfiguration
internal import PopupFleet
internal import PopupJournal
internal import PopupProtocol

/// The command that lets another node own the log.
struct HandOver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over", abstract: "Ask the owner to hand the log over, and wait until another node owns it.",
        discussion: """
            The owner applies what it has received, as at SIGTERM, and ends with 76, so that its supervisor starts it \
            again as a standby.
            """)
    @OptionGroup var options: LogOptions

    /// The time in seconds for which an owner may take, and another one after it. Then nobody begins to hand over any more.
    private static let patience = 20
    /// The time in seconds after which the request is forgotten.
    private static let life = patience - FleetTiming.ordersLastSeconds

    func run() async throws {
        try await options.withLog { log in
            try await log.check()
            guard let head = try await log.head() else { throw EtcdProblem.missing(options.shard) }
            guard let owner = try await log.claimant() else {
                throw EtcdProblem.busy("nobody owns the shard \(options.shard): there is nothing to hand over")
            }
            guard try await log.nodes().contains(where: { $0.node != owner && $0.epoch == nil }) else {
                throw EtcdProblem.busy(
                    "no standby follows the log, so nobody would own it: start one, or stop \(owner) by SIGTERM")
            }
            let began = ContinuousClock.now
            try await log.askToHandOver(epoch: head.epoch, forgottenAfter: Self.life)
            while ContinuousClock.now - began < .seconds(Self.patience) {
                try await Task.sleep(for: .milliseconds(50))
                // An etcd that does not answer once may do so the next time.
                guard let now = try? await log.head(), now.epoch > head.epoch else { continue }
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                let successor = try await log.claimant() ?? "nobody"
                return print(
                    "\(owner) has handed over to \(successor), epoch \(now.epoch), in "
                        + "\(Double(Int(seconds * 10)) / 10) s")
            }
            throw EtcdProblem.busy(
                "\(owner) has not handed over within \(Self.patience) s, and goes on unless it has begun to; what it logs "
                    + "may say why")
        }
    }
}

/// The command that sets the configuration which all nodes share.
struct Configure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set the policies, defaults, limits and quotas that all nodes of a shard share.",
        discussion: """
            The file has the sections policies, defaults, limits, deduplication and quotas of a broker's configuration. It \
            is in the place of these sections of each node's own file; limits.connections and limits.memoryBytes stay those \
            of the nodes. The owner brings it into force at once, each later one when it begins.
            """)
    @OptionGroup var options: LogOptions
    @Argument(help: "The configuration file, as YAML.")
    var file: String?
    @Flag(help: "Print the configuration that is set.")
    var show = false
    @Flag(help: "Remove it: each node goes by its own file again.")
    var remove = false

    /// The time in seconds for which the command waits until the owner has it in force.
    private static let patience = 15

    func validate() throws {
        guard [file != nil, show, remove].count(where: { $0 }) == 1 else {
            throw ValidationError("give a file, --show or --remove.")
        }
    }

    func run() async throws {
        var configuration: [UInt8]?
        if let file {
            do {
                let shared = try SharedConfiguration.read(file: file)
                let broker = try shared.check(named: file).configuration.broker
                configuration = Array(shared.text.utf8)
                do throws(CommandRefusal) { try broker.check() } catch {
                    Say.sentence("\(file): \(error.detail)")
                    throw ExitCode(78)
                }
            } catch let error as ConfigurationError {
                for problem in error.problems { Say.sentence("\(problem)") }
                throw ExitCode(78)
            }
        }
        try await options.withLog { log in
            try await log.check()
            if show {
                guard let bytes = try await log.orders().configuration else {
                    throw EtcdProblem.none("the shard \(options.shard) has no configuration: each node has its own")
                }
                return print(String(decoding: bytes, as: UTF8.self), terminator: "")
            }
            guard try await log.configure(configuration) else {
                throw EtcdProblem.busy(
                    "somebody else has set a configuration at the same time; look at it with --show, and try again")
            }
            try await wait(for: LogOrders(configuration: configuration).configurationChecksum, log)
        }
    }

    private func wait(for checksum: UInt32?, _ log: EtcdLog) async throws {
        let end = ContinuousClock.now + .seconds(Self.patience)
        var owner: NodeRecord?
        while ContinuousClock.now < end {
            // An etcd that does not answer once may do so the next time.
            guard let nodes = try? await log.nodes() else {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            owner = nodes.filter { $0.epoch != nil }.max { ($0.epoch ?? 0) < ($1.epoch ?? 0) }
            guard let owner else { return print("set; nobody owns the shard, and the next owner begins with it") }
            if owner.configuration == checksum { return print("set, and in force at \(owner.node)") }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw EtcdProblem.busy(
            "it is set, but \(owner?.node ?? "an owner") has not brought it into force within \(Self.patience) s; what "
                + "it logs says why")
    }
}

/// The command that shows the level of the log, or raises it.
struct Level: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the level of the log and those that its nodes know, or raise it when all of them know it.",
        discussion: "A node that does not know the level of its log ends with 65. A level cannot be lowered.")
    @OptionGroup var options: LogOptions
    @Argument(help: "The level.")
    var level: UInt32?

    /// The time in seconds for which the command waits until the owner has raised it. Then nobody raises it any more.
    private static let patience = life + FleetTiming.ordersLastSeconds
    /// The time in seconds after which the request is forgotten.
    private static let life = 10

    func run() async throws {
        try await options.withLog { log in
            try await log.check()
            guard let head = try await log.head() else { throw EtcdProblem.missing(options.shard) }
            let nodes = try await log.nodes()
            guard let level else {
                print("log \(head.level)")
                for node in nodes { print("node \(node.node) knows \(node.level)") }
                return
            }
            guard level > head.level else {
                guard level == head.level else {
                    throw EtcdProblem.setting(
                        "the level of the log is \(head.level), and cannot be lowered to \(level)")
                }
                return print("log \(head.level)")
            }
            guard level <= LogHead.newestLevel else {
                throw EtcdProblem.setting("this version knows no level above \(LogHead.newestLevel)")
            }
            if let old = nodes.first(where: { $0.level < level }) {
                throw EtcdProblem.busy(
                    "\(old.node) runs version \(old.version), which knows no level above \(old.level): upgrade it first"
                )
            }
            let end = ContinuousClock.now + .seconds(Self.patience)
            try await log.askForLevel(level, forgottenAfter: Self.life)
            while ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
                if let now = try? await log.head(), now.level >= level { return print("log \(now.level)") }
            }
            throw EtcdProblem.busy(
                "no owner has raised the level within \(Self.patience) s, and none will: ask for it once more")
        }
    }
}
