import ArgumentParser
import PopupClient

struct ListCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the selected live popups, or all of them.")

    @OptionGroup var selection: SelectorOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { selection.groups }

    func run(_ admin: AdminClient) async throws {
        let result = try await admin.list(selection.selector)
        guard !broker.json else { return Terminal.print(try JSON.line(result)) }
        Table(of: result.popups).print(orSay: "there are no such popups\(Words.place(groups))")
        if result.truncated {
            StandardError.write("popupctl: there are more popups; select a group, or use `popupctl count`")
        }
    }
}
