import ArgumentParser
import PopupClient

struct CountCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count the selected live popups, or all of them.")

    @OptionGroup var selection: SelectorOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { selection.groups }

    func run(_ admin: AdminClient) async throws {
        let count = try await admin.count(selection.selector)
        Terminal.print(broker.json ? JSON.line(report: .count(count)) : "\(count)")
    }
}
