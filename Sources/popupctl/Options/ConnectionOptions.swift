import ArgumentParser
import Foundation
import PopupClient

/// The options of every subcommand for its connection: the endpoints of the broker, or of its shard, and the keys.
struct ConnectionOptions: ParsableArguments {
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

    // With a transformation, the parser does not add the default to the help.
    @Option(help: "How long to wait for the broker: 5s, 500ms (default: 5s).", transform: TimeArgument.parse)
    var timeout = TimeArgument(milliseconds: 5000)

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
