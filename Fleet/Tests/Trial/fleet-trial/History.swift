internal import ArgumentParser
internal import EtcdLog
internal import FleetService
internal import FleetState
internal import PopupJournal

/// Lists the states that the log of brokers determines, for a comparison with what they published.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the states of all groups, as the log determines them: epoch and message in JSON.")
    @Option var endpoints: String
    @Option var shard = "main"

    func run() async throws {
        var history = BrokerHistory()
        let head = try await readLog(endpoints: endpoints, shard: shard) { try history.follow($0) }
        try history.advance(to: head.horizon)
        for record in history.records { print(record.begins, record.json) }
    }
}
