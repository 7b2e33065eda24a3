import ArgumentParser
import PopupClient

struct ExplainCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say which rule holds a popup back, or how it closed.")

    @Argument(help: "The popup.", completion: BrokerCompletion.popups)
    var id: String

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let explanation = try await admin.explain(id)
        if broker.json { Terminal.print(try JSON.line(explanation)) }
        guard explanation.phase != .unknown else { throw Failure.noPopup(id) }
        guard !broker.json else { return }
        ExplanationLines(explanation: explanation, characters: Terminal.current.characters).lines
            .forEach(Terminal.print)
    }
}
