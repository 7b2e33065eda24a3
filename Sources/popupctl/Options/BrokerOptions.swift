import ArgumentParser
import PopupClient

/// The options of every subcommand that prints JSON on request: its connection, and the form of the output.
struct BrokerOptions: ParsableArguments {
    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Print JSON with the names of the protocol, one object per line, including zeros and empty lists.")
    var json = false
}

/// A subcommand that talks with a broker.
protocol ConnectedCommand: AsyncParsableCommand {
    var connection: ConnectionOptions { get }
    /// The groups and patterns that it is about; empty if it names none. A directory of shards tells its shard by them.
    var groups: [String] { get }

    /// Checks that nothing is missing. The parser calls `validate` before it reports an unknown option, and what is
    /// missing may be what a misspelt option was to give: such checks are made here, afterwards.
    ///
    /// - Throws: `Failure`, with what is missing.
    func checkArguments() throws(Failure)

    func run(_ admin: AdminClient) async throws
}

extension ConnectedCommand {
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
        let admin = try connection.connect(delivery, to: endpoints ?? connection.endpoints(for: groups))
        do {
            try await run(admin)
        } catch {
            await admin.close()
            throw error
        }
        await admin.close()
    }
}

/// A subcommand that talks with a broker, and prints JSON with `--json`.
protocol BrokerCommand: ConnectedCommand {
    var broker: BrokerOptions { get }
}

extension BrokerCommand {
    var connection: ConnectionOptions { broker.connection }
}
