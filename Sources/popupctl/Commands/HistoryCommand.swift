import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

struct HistoryCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the popups that closed last, the latest first: when, how, and what they said.")

    @Argument(
        help: "A group or a pattern (store-12/*, *); all groups without one.", completion: BrokerCompletion.groups)
    var group: String?

    @Option(name: .shortAndLong, help: "The number of popups.")
    var limit = 20

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { group.map { [$0] } ?? [] }

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be more than 0.") }
    }

    func run(_ admin: AdminClient) async throws {
        let history = try await admin.history(of: group, limit: limit)
        guard !broker.json else {
            for popup in history.popups { Terminal.print(try JSON.line(popup)) }
            return
        }
        var table = Table(["CLOSED", "GROUP", "ID", "HOW", "SHOWN FOR", "CONTENT"])
        for popup in history.popups { table.add(row(of: popup)) }
        table.printContents()
        // As many as were asked for are no surprise.
        if history.truncated, history.popups.count < limit {
            StandardError.write("popupctl: older popups were not looked at; name a group with fewer popups")
        }
    }

    private func row(of popup: ClosedPopup) -> [String] {
        let detail = popup.closed.action.isEmpty ? popup.cause : popup.closed.action
        return [
            WatchLine.dateAndTime(milliseconds: popup.time), popup.group, popup.id.onOneLine,
            popup.closed.reason.name + (detail.isEmpty ? "" : " \(detail.onOneLine)"),
            Words.time(milliseconds: popup.closed.displayedMs),
            Table.cell(Words.content(title: popup.title, excerpt: popup.excerpt)),
        ]
    }
}
