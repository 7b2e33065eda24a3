import ArgumentParser
import Foundation
import PopupClient

/// What every subcommand takes: where the broker is, and how to print.
struct BrokerOptions: ParsableArguments {
    @Option(help: "Where commands go in; or \(BrokerEndpoints.ingressVariable) in the environment.")
    var ingress = BrokerEndpoints(environment: ProcessInfo.processInfo.environment).ingress

    @Option(help: "Where states, events and replies come out; or \(BrokerEndpoints.egressVariable).")
    var egress = BrokerEndpoints(environment: ProcessInfo.processInfo.environment).egress

    @Option(help: "How long to wait for the broker (5s, 500ms).")
    var timeout = TimeArgument(milliseconds: 5000)

    @Flag(help: "Print JSON, in the names of the protocol.")
    var json = false

    func connect(_ delivery: Delivery) throws -> Console {
        var limits = ClientLimits()
        limits.sendTimeout = timeout.duration
        limits.replyTimeout = timeout.duration
        return try Console(
            BrokerEndpoints(ingress: ingress, egress: egress), delivery: delivery, limits: limits)
    }
}

/// A subcommand that talks with a broker.
protocol BrokerCommand: AsyncParsableCommand {
    var broker: BrokerOptions { get }

    func run(_ console: Console) async throws
}

extension BrokerCommand {
    func run() async throws {
        try await withConsole(.confirmed, run)
    }

    func withConsole(_ delivery: Delivery, _ run: (Console) async throws -> Void) async throws {
        let console = try broker.connect(delivery)
        do {
            try await run(console)
        } catch {
            await console.close()
            throw error
        }
        await console.close()
    }
}
