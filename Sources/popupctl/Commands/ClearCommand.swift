import ArgumentParser
import PopupClient

struct ClearCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Close all selected popups (CLEARED).",
        discussion: """
              popupctl clear lobby
              popupctl clear 'store-12/*' --waiting --priority-below 5
              popupctl clear '*'
            """)

    @OptionGroup var selection: SelectorOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if selection.selector == PopupSelector() {
            throw ValidationError(
                "Select what to clear: a group, a pattern ('*' for all groups), or another selection.")
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.clear(selection.selector)
        return selection.selector.group.isEmpty ? "clear" : selection.selector.group
    }

    func run(_ admin: AdminClient) async throws {
        let selector = selection.selector
        let selected = try await admin.count(selector)
        _ = try await send(admin)
        let rest = try await admin.count(selector)
        if broker.json {
            Terminal.print("{\"cleared\":\(max(0, selected - rest)),\"left\":\(rest)}")
        } else {
            Terminal.print(Words.cleared(max(0, selected - rest), left: rest))
        }
    }
}
