internal import ArgumentParser
internal import CommandNames
internal import EtcdLog
internal import FleetService
internal import Foundation
internal import PopupFleet
internal import PopupJournal
internal import PopupProtocol
internal import SQLiteJournal

/// The program for operators of the log of a shard.
@main
struct PopupFleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popup-fleet", abstract: "Runs a shard's nodes, and its shared log in etcd.",
        subcommands: [
            Create.self, Run.self, Status.self, HandOver.self, Configure.self, Level.self, Log.self, Export.self,
            Import.self,
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let message = misspeltCommand(in: arguments) {
            Say.sentence(message)
            exit(withError: ExitCode.validationFailure)
        }
        await runProgram(arguments)
    }
}

/// The options for the endpoints of the log.
struct LogOptions: ParsableArguments {
    @Option(help: "The members of etcd, separated by commas.")
    var endpoints = "http://127.0.0.1:2379"
    @Option(help: "The shard.")
    var shard = "main"
    @Option(help: "The CA, as PEM, for https.")
    var ca: String?
    @Option(help: "The client's certificate, as PEM.")
    var certificate: String?
    @Option(help: "The client's private key, as PEM.")
    var key: String?

    /// Calls `body` with the log. A problem is one sentence on the standard error, and an exit code.
    ///
    /// - Parameters:
    ///   - node: The name of the node, for the others.
    ///   - leaseSeconds: How long its claim lasts without a renewal.
    ///   - say: Tells operators the problem.
    func withLog(
        as node: String = "popup-fleet", leaseSeconds: Int = 4, say: (String) -> Void = Say.sentence,
        _ body: (EtcdLog) async throws -> Void
    ) async throws {
        do {
            var certificates: EtcdSettings.Certificates?
            switch (ca, certificate, key) {
            case (let ca?, let certificate?, let key?):
                certificates = .init(authorities: ca, certificate: certificate, key: key)
            case (nil, nil, nil): break
            default: throw EtcdProblem.setting("--ca, --certificate and --key belong together")
            }
            let log = try EtcdLog(
                EtcdSettings(
                    endpoints: endpoints.split(separator: ",").map(String.init), certificates: certificates,
                    shard: shard, node: node, version: ProductVersion.current, leaseSeconds: leaseSeconds))
            defer { log.close() }
            do {
                try await body(log)
            } catch SharedLogError.unknown(let reason) {
                // An error of one request does not say what it comes from, such as rights that are missing.
                if let problem = await log.problem() { throw problem }
                throw SharedLogError.unknown(reason)
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            let problem = Self.problem(error)
            say(problem.sentence)
            throw ExitCode(problem.code)
        }
    }

    /// Returns what is wrong, and the exit code.
    private static func problem(_ error: any Error) -> (sentence: String, code: Int32) {
        let code: Int32 =
            switch error {
            case let problem as EtcdProblem: problem.exitCode
            case SharedLogError.unknown: 69
            case SharedLogError.missing: 66
            case is WrongClock: 64
            case ExportError.shortened: 75
            case ExportError.notDurable: 74
            case is ExportError: 73
            case SQLiteJournalError.noJournal: 66
            case is SQLiteJournalError: 74
            // Content of a log or a journal that no broker can use.
            default: 65
            }
        return ("\(error)", code)
    }
}

/// The command that makes an empty log.
struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create the log of a shard, which brokers never do.")
    @OptionGroup var options: LogOptions
    @Flag(help: ArgumentHelp(CreationClock.forceHelp))
    var force = false

    func run() async throws {
        try await options.withLog { log in
            let wall = SystemClocks.moment().wall
            try CreationClock.check(wall, isForced: force)
            try await log.check(isCreated: false)
            try await log.create(wall: UInt64(wall), time: wall)
            print(
                "created the log of the shard \(options.shard), epoch \(wall), "
                    + "\(CreationClock.date(ofEpoch: UInt64(wall)))")
        }
    }
}

/// The command that shows the end of the log, the node that claims it, and the status of etcd. It works without a
/// broker.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the end of the log, its owner, and etcd's state.")
    @OptionGroup var options: LogOptions

    func run() async throws {
        try await options.withLog { log in
            // First what is there also without a quorum, rights, or a log.
            await Self.printMembers(of: log)
            guard let head = try await log.head() else { throw EtcdProblem.missing(options.shard) }
            let snapshots = try await log.snapshots()
            let orders = try await log.orders()
            print("level      \(head.level)")
            print("epoch      \(head.epoch), \(Self.distance(ofEpoch: head.epoch))")
            print("begun      \(CreationClock.date(ofEpoch: head.epoch))")
            print("index      \(head.index)")
            print("time       \(head.time)")
            print("horizon    \(head.horizon)")
            print("claimed by \(try await log.claimant() ?? "nobody")")
            print("snapshots  \(snapshots.isEmpty ? "none" : snapshots.map(String.init).joined(separator: ", "))")
            print("configured \(Self.words(orders))")
            for node in try await log.nodes() {
                let role = node.epoch.map { "owner of epoch \($0)" } ?? "standby"
                let configuration = Self.words(ofConfiguration: node.configuration)
                let behind = node.index.map { head.index - min($0, head.index) }
                print(
                    "node       \(node.node): \(role), \(behind.map(String.init) ?? "an unknown number of") entries behind, "
                        + "version \(node.version), configuration \(configuration), \(node.ingress) \(node.egress)")
            }
        }
    }
}

extension Status {
    private static func printMembers(of log: EtcdLog) async {
        for (endpoint, status) in await log.statusOfMembers() {
            guard let status else {
                print("etcd       \(endpoint): does not answer")
                continue
            }
            print(
                "etcd       \(endpoint): \(status.version), \(status.usedByteCount) of \(status.byteCount) bytes in use"
            )
            for problem in status.problems { print("problem    \(endpoint): \(problem)") }
        }
    }

    /// Returns how far an epoch is from the wall clock. Epochs are not taken back: one from a clock that was wrong stays.
    private static func distance(ofEpoch epoch: UInt64) -> String {
        let ahead = Int64(clamping: epoch) - SystemClocks.moment().wall
        let seconds = ahead.magnitude / 1000
        let text =
            switch seconds {
            case ..<120: "\(seconds) s"
            case ..<7200: "\(seconds / 60) min"
            case ..<172_800: "\(seconds / 3600) h"
            default: "\(seconds / 86_400) days"
            }
        return ahead > 0 ? "\(text) ahead of this machine's clock" : "\(text) before this machine's clock"
    }

    /// Returns what the configuration of all nodes is.
    private static func words(_ orders: LogOrders) -> String {
        guard let bytes = orders.configuration, let checksum = orders.configurationChecksum else {
            return "by each node's own file"
        }
        return "\(digits(checksum)), \(bytes.count) bytes"
    }

    /// Returns what a node says of its configuration.
    private static func words(ofConfiguration said: UInt32?) -> String {
        switch said {
        case nil: "own"
        case NodeRecord.refusedPolicies: "with refused policies"
        case let checksum?: digits(checksum)
        }
    }

    /// Returns the checksum of a configuration as nodes name it.
    private static func digits(_ checksum: UInt32) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The command that shows the entries of the log, and checks that they continue one another.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the entries of the log, and check that they continue one another up to the head.")
    @OptionGroup var options: LogOptions
    @Flag(help: "Show the commands of each entry, too, as hexadecimal digits.")
    var commands = false

    func run() async throws {
        try await options.withLog { log in
            guard let head = try await log.head() else { throw EtcdProblem.missing(options.shard) }
            var check = try await LogCheck.beginning(of: log, endingAt: head)
            print("index epoch kind time horizon bytes")
            let finding = try await check.read(log, to: head) { entry in
                let digits =
                    commands
                    ? " " + entry.commands.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() : ""
                print(
                    entry.index, entry.epoch, entry.kind, entry.time, entry.horizon, "\(entry.commands.count)\(digits)")
            }
            switch finding {
            case .broken(let problem): throw EtcdProblem.unreadable(problem)
            case .removed: throw EtcdProblem.busy("entries of the log were removed while they were read; try again")
            case nil: break
            }
        }
    }
}
