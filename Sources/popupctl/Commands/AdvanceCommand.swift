import ArgumentParser
import PopupClient

struct AdvanceCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Close whichever popup a group shows: go next.")

    @Argument(help: "The group.")
    var group: String

    @OptionGroup var receipts: ReceiptOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func send(_ console: Console) async throws -> String {
        try await console.advance(group)
        return group
    }

    func run(_ console: Console) async throws {
        let observation = Observation(console: console)
        let seen = try await observation.events(of: [group]) { _ = try await send(console) }
        let line = try await console.peek(group)
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
