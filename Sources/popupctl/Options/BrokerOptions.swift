import ArgumentParser
import Foundation
import PopupClient

/// The options of every subcommand: the endpoints of the broker, the keys, and the form of the output.
struct BrokerOptions: ParsableArguments {
    @Option(
        help:
            "The endpoint for commands, or those of all nodes of a fleet, separated by commas; also \(BrokerEndpoints.ingressVariable) in the environment."
    )
    var ingress = BrokerEndpoints(environment: ProcessInfo.processInfo.environment).ingress

    @Option(
        help:
            "The endpoint for states, events and replies, or those of all nodes; also \(BrokerEndpoints.egressVariable)."
    )
    var egress = BrokerEndpoints(environment: ProcessInfo.processInfo.environment).egress

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

    @Option(help: "How long to wait for the broker (5s, 500ms).")
    var timeout = TimeArgument(milliseconds: 5000)

    @Flag(help: "Print JSON with the names of the protocol, one object per line; zeros and empty lists are there.")
    var json = false

    func validate() throws {
        guard timeout.milliseconds > 0 else { throw ValidationError("--timeout must be more than 0.") }
    }

    func connect(_ delivery: Delivery) throws -> AdminClient {
        var limits = ClientLimits()
        limits.sendTimeout = timeout.duration
        limits.replyTimeout = timeout.duration
        return try AdminClient(endpoints, delivery: delivery, limits: limits)
    }

    /// The endpoints and keys: those of the options, otherwise those of the environment.
    var endpoints: BrokerEndpoints {
        let named = BrokerEndpoints(environment: ProcessInfo.processInfo.environment)
        return BrokerEndpoints(
            ingress: ingress, egress: egress, keyFile: key ?? named.keyFile,
            serverKeyFile: serverKey ?? named.serverKeyFile)
    }
}

/// A subcommand that talks with a broker.
protocol BrokerCommand: AsyncParsableCommand {
    var broker: BrokerOptions { get }

    func run(_ admin: AdminClient) async throws
}

extension BrokerCommand {
    func run() async throws {
        try await withAdminClient(.confirmed, run)
    }

    func withAdminClient(_ delivery: Delivery, _ run: (AdminClient) async throws -> Void) async throws {
        let admin = try broker.connect(delivery)
        do {
            try await run(admin)
        } catch {
            await admin.close()
            throw error
        }
        await admin.close()
    }
}
