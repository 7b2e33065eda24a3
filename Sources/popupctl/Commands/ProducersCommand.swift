import ArgumentParser
import PopupClient
import PopupProtocol

struct ProducersCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "producers",
        abstract: "List the producers whose sequences are remembered, the one that sent last first.")

    @Argument(help: "Only this producer: 32 hexadecimal digits.")
    var producer: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let found = try await admin.producers(id: producer)
        if broker.json {
            for producer in found.producers { Terminal.print(try JSON.line(producer)) }
        } else {
            Table(of: found.producers).lines(on: .current).forEach(Terminal.print)
        }
        if found.hasMore {
            StandardError.write("popupctl: there are more producers, which have been silent for longer")
        }
    }
}
