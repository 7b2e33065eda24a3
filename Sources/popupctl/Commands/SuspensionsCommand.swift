import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

struct SuspensionsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspensions",
        abstract: "List the suspensions in force: their tokens, groups, and who set them when.")

    @Argument(
        help: "A group or a pattern (store-12/*, *): what suspends it; everything without one.",
        completion: BrokerCompletion.groups)
    var group: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { group.map { [$0] } ?? [] }

    func run(_ admin: AdminClient) async throws {
        let suspensions = try await admin.suspensions(for: group)
        guard !broker.json else {
            for suspension in suspensions { Terminal.print(try JSON.line(suspension)) }
            return
        }
        var table = Table(["TOKEN", "GROUP", "BELOW PRIORITY", "SINCE", "BY"])
        for suspension in suspensions {
            table.add([
                suspension.token.onOneLine, suspension.group,
                suspension.hasMinPriority ? "\(suspension.minPriority)" : "",
                suspension.since > 0 ? WatchLine.dateAndTime(milliseconds: suspension.since) : "", suspension.by,
            ])
        }
        table.lines(on: .current).forEach(Terminal.print)
    }
}
