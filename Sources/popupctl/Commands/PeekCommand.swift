import ArgumentParser
import PopupClient

struct PeekCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "peek",
        abstract: "Look at a group: the active popup, then the queue in its order, then what is delayed.")

    @Argument(help: "The group.")
    var group: String

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let result = try await admin.peek(group)
        guard !broker.json else { return Terminal.print(try JSON.line(result)) }
        Table(of: result.popups).lines(on: .current).forEach(Terminal.print)
        if result.truncated { StandardError.write("popupctl: the queue is longer than a reply holds") }
    }
}
