internal import ArgumentParser
internal import EtcdLog
internal import FleetService
internal import FleetState
internal import PopupJournal

/// Lists the states that the log of brokers determines, for a comparison with what they published.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the states of all groups, as the log determines them: epoch, group, revision, popup.")
    @Option var endpoints: String
    @Option var shard = "main"

    func run() async throws {
        let log = try EtcdLog(
            EtcdSettings(
                endpoints: endpoints.split(separator: ",").map(String.init), shard: shard, node: "fleet-trial"))
        guard let head = try await log.head() else { throw EtcdProblem.missing(shard) }
        var check = LogCheck(nil)
        var history = BrokerHistory()
        while check.next <= head.index {
            let entries = try await log.entries(in: check.next...head.index)
            guard !entries.isEmpty else { throw EtcdProblem.unreadable("entry \(check.next) is missing") }
            for entry in entries {
                if let problem = check.follow(entry) { throw EtcdProblem.unreadable(problem) }
                try history.follow(entry)
            }
        }
        if let problem = check.end(at: head) { throw EtcdProblem.unreadable(problem) }
        history.advance(to: head.horizon)
        for record in history.records { print(record.begins, record.group, record.revision, "\"\(record.popup)\"") }
    }
}
