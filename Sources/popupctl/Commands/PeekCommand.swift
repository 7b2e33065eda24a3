import ArgumentParser
import PopupClient

struct PeekCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "peek",
        abstract: "List the popups of a group: the active one, then the queue in its order, then the delayed ones.")

    @OptionGroup var target: GroupArgument

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { [target.group] }

    func checkArguments() throws(Failure) {
        try target.check()
    }

    func run(_ admin: AdminClient) async throws {
        let result = try await admin.peek(target.group)
        guard !broker.json else { return Terminal.print(try JSON.line(result)) }
        Table(of: result.popups).print(orSay: "there are no popups\(Words.place(groups))")
        if result.truncated { StandardError.write("popupctl: the queue has more popups than one reply can contain") }
    }
}
