import ArgumentParser
import Foundation
import PopupClient

/// The options of every subcommand: the endpoints of the broker, the keys, and the form of the output.
struct BrokerOptions: ParsableArguments {
    @Option(
        help:
            "The endpoint for commands, or those of all nodes of a fleet, separated by commas; also \(BrokerEndpoints.ingressVariable) in the environment."
    )
    var ingress: String?

    @Option(
        help:
            "The endpoint for states, events and replies, or those of all nodes; also \(BrokerEndpoints.egressVariable)."
    )
    var egress: String?

    @Option(
        help: ArgumentHelp(
            "The file of your secret key, for a broker with keys; also \(BrokerEndpoints.keyVariable).",
            valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The file of the broker's public key; also \(BrokerEndpoints.serverKeyVariable).", valueName: "file"),
        completion: .file())
    var serverKey: String?

    @Option(
        help: ArgumentHelp(
            "The file with the directory of shards, instead of the endpoints: a command goes to the shard of its group; also \(ShardDirectory.variable).",
            valueName: "file"),
        completion: .file())
    var shards: String?

    @Option(
        help: ArgumentHelp(
            "The shard of the directory to which the command goes, whatever its group.", valueName: "name"))
    var shard: String?

    @Option(help: "How long to wait for the broker (5s, 500ms).")
    var timeout = TimeArgument(milliseconds: 5000)

    @Flag(help: "Print JSON with the names of the protocol, one object per line, including zeros and empty lists.")
    var json = false

    func validate() throws {
        guard timeout.milliseconds > 0 else { throw ValidationError("--timeout must be more than 0.") }
        if shards != nil, hasEndpoints {
            throw ValidationError("Give the directory (--shards) or the endpoints (--ingress, --egress), not both.")
        }
    }

    /// Connects to a broker.
    ///
    /// - Parameter endpoints: Those of the broker: see `endpoints(for:)`.
    func connect(_ delivery: Delivery, to endpoints: BrokerEndpoints) throws -> AdminClient {
        var limits = ClientLimits()
        limits.sendTimeout = timeout.duration
        limits.replyTimeout = timeout.duration
        return try AdminClient(endpoints, delivery: delivery, limits: limits)
    }

    /// Returns the endpoints and keys for a command about these groups and patterns: those of its shard, if there is a
    /// directory of shards; otherwise those of the options and of the environment.
    ///
    /// - Throws: `Failure` if the command does not belong to one shard; `ShardDirectoryError`; `ClientError.invalidGroup`.
    func endpoints(for groups: @autoclosure () -> [String]) throws -> BrokerEndpoints {
        guard let directory = try directory() else {
            if let shard {
                throw Failure(
                    "--shard \(shard) needs the directory of shards: name its file with --shards", .validationFailure)
            }
            var endpoints = named
            if let ingress { endpoints.ingress = ingress }
            if let egress { endpoints.egress = egress }
            return withKeys(endpoints)
        }
        return try endpoints(of: shard ?? Self.shard(of: groups(), in: directory), in: directory)
    }

    /// Returns the endpoints of a shard. The keys of the options come before its own, and those of the environment after.
    func endpoints(of shard: String, in directory: ShardDirectory) throws(ShardDirectoryError) -> BrokerEndpoints {
        withKeys(try directory.endpoints(of: shard))
    }

    /// Returns the directory of shards; `nil` if there is none, or if the options name the endpoints.
    func directory() throws(ShardDirectoryError) -> ShardDirectory? {
        guard !hasEndpoints else { return nil }
        let path = shards ?? ProcessInfo.processInfo.environment[ShardDirectory.variable]
        guard let path, !path.isEmpty else { return nil }
        return try ShardDirectory(file: path)
    }

    /// Returns the one shard that has these groups.
    static func shard(of groups: [String], in directory: ShardDirectory) throws -> String {
        let names = directory.names.joined(separator: ", ")
        guard !groups.isEmpty else {
            throw Failure(
                "the command names no group, so the directory does not tell its shard; name it with --shard: \(names)",
                .validationFailure)
        }
        var found: Set<String> = []
        for group in groups { found.formUnion(try directory.shards(of: group)) }
        guard let shard = found.first, found.count == 1 else {
            throw Failure(
                "\(groups.joined(separator: ", ")): there are groups in several shards; name one with --shard:"
                    + " \(found.sorted().joined(separator: ", "))", .validationFailure)
        }
        return shard
    }

    private func withKeys(_ endpoints: BrokerEndpoints) -> BrokerEndpoints {
        var endpoints = endpoints
        endpoints.keyFile = key ?? endpoints.keyFile ?? named.keyFile
        endpoints.serverKeyFile = serverKey ?? endpoints.serverKeyFile ?? named.serverKeyFile
        return endpoints
    }

    private var hasEndpoints: Bool { ingress != nil || egress != nil }

    /// The endpoints and keys of the environment.
    private var named: BrokerEndpoints { BrokerEndpoints(environment: ProcessInfo.processInfo.environment) }
}

/// A subcommand that talks with a broker.
protocol BrokerCommand: AsyncParsableCommand {
    var broker: BrokerOptions { get }
    /// The groups and patterns that it is about; empty if it names none. A directory of shards tells its shard by them.
    var groups: [String] { get }

    /// Checks that nothing is missing. The parser calls `validate` before it reports an unknown option, and what is
    /// missing may be what a misspelt option was to give: such checks are made here, afterwards.
    ///
    /// - Throws: `Failure`, with what is missing.
    func checkArguments() throws(Failure)

    func run(_ admin: AdminClient) async throws
}

extension BrokerCommand {
    var groups: [String] { [] }

    func checkArguments() {}

    func run() async throws {
        try await withAdminClient(.confirmed, run)
    }

    /// Runs a body with a client of the broker, or of one shard.
    ///
    /// - Parameter endpoints: Those of the shard; `nil`: those for the groups of the command.
    func withAdminClient(
        _ delivery: Delivery, at endpoints: BrokerEndpoints? = nil, _ run: (AdminClient) async throws -> Void
    ) async throws {
        let admin = try broker.connect(delivery, to: endpoints ?? broker.endpoints(for: groups))
        do {
            try await run(admin)
        } catch {
            await admin.close()
            throw error
        }
        await admin.close()
    }
}
