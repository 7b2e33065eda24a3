import ArgumentParser
import PopupClient

struct ClearCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Close the popups that a selector chooses (CLEARED).",
        discussion: """
            popupctl clear lobby
            popupctl clear 'store-12/*' --waiting --priority-below 5
            popupctl clear '*'
            """)

    @OptionGroup var selection: SelectorOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if selection.selector == PopupSelector() {
            throw ValidationError("Say what to clear: a group, a pattern (* is every group) or another choice.")
        }
    }

    func run(_ console: Console) async throws {
        let selector = selection.selector
        let chosen = try await console.count(selector)
        let groups = selector.group.isEmpty ? [] : [selector.group]
        let seen = try await Observation(console: console).events(of: groups) { try await console.clear(selector) }
        if let refused = seen.refusal() { throw Failure.refused(refused) }
        let rest = try await console.count(selector)
        if broker.json {
            Terminal.print("{\"cleared\":\(max(0, chosen - rest)),\"left\":\(rest)}")
        } else {
            Terminal.print("\(chosen) chosen, \(rest) left")
        }
    }
}
