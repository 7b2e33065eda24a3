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
        guard !broker.json else {
            for producer in found.producers { Terminal.print(try JSON.line(producer)) }
            return
        }
        var table = Table(["PRODUCER", "SETTLED UP TO", "HIGHEST", "LIVE POPUPS", "LAST SENT", "BY"])
        for producer in found.producers {
            let silence = Words.time(.milliseconds(producer.silentMs))
            table.add([
                producer.producer, "\(producer.cumulative)", "\(producer.highest)", "\(producer.popups)",
                "\(silence) ago", producer.by,
            ])
        }
        table.lines(on: .current).forEach(Terminal.print)
        if found.hasMore {
            StandardError.write("popupctl: there are more producers, which have been silent for longer")
        }
    }
}
