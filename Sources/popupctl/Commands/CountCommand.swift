import ArgumentParser
import PopupClient

struct CountCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count the live popups that a selector chooses, all without one.")

    @OptionGroup var selection: SelectorOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let count = try await admin.count(selection.selector)
        Terminal.print(broker.json ? "{\"popups\":\(count)}" : "\(count)")
    }
}
