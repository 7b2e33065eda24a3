import ArgumentParser
import PopupClient
import PopupProtocol

struct ProducersCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "producers",
        abstract: "List the producers whose sequences are remembered, the one that sent last first.",
        discussion: """
            If the list takes more than one reply, producers that sent within the time between two replies may change \
            places; if their times are equal, the ids decide.
            """)

    @Argument(help: "Only this producer: 32 hexadecimal digits.")
    var producer: String?

    @Option(name: .shortAndLong, help: "The number of producers (default: all).")
    var limit: Int?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if let limit, limit <= 0 { throw ValidationError("--limit must be more than 0.") }
    }

    func run(_ admin: AdminClient) async throws {
        let found = try await producers(admin)
        guard !broker.json else {
            for producer in found { Terminal.print(try JSON.line(producer)) }
            return
        }
        Table(of: found).print(orSay: "there are no such producers")
    }

    private func producers(_ admin: AdminClient) async throws -> [ProducerSequences] {
        if let producer { return try await admin.producer(producer).map { [$0] } ?? [] }
        let latest = try await admin.latestProducers(limit: limit)
        let limit = limit ?? .max
        guard latest.hasMore, latest.producers.count < limit else { return latest.producers }
        // The list takes more than one reply. Its pages come in byte order, each with the times of its own moment:
        // producers that sent within some ms of one another may change places.
        let all = try await admin.producers()
        return Array(all.sorted { ($0.silentMs, $0.producer) < ($1.silentMs, $1.producer) }.prefix(limit))
    }
}
