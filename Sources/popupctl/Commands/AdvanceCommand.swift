import ArgumentParser
import PopupClient
import TerminalText

struct AdvanceCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Close the active popup of a group, and go on to the next.")

    @OptionGroup var target: GroupArgument

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { [target.group] }

    func checkArguments() throws(Failure) {
        try target.check()
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.advance(target.group)
        return target.group
    }

    func run(_ admin: AdminClient) async throws {
        let group = target.group
        let observation = Observation(admin: admin)
        let seen = try await observation.events(of: [group]) { _ = try await send(admin) }
        let line = try await admin.peek(group)
        guard !broker.json else { return Terminal.print(try JSON.line(line)) }
        for event in seen {
            if case .closed(let closed)? = event.event, closed.reason == .advanced {
                Terminal.print("\(event.popup.onOneLine): \(Words.closed(closed))")
            }
        }
        switch line.popups.first {
        case let next? where next.phase == .active: Terminal.print("\(group): shows \(next.id.onOneLine)")
        default: Terminal.print("\(group): shows nothing")
        }
    }
}
