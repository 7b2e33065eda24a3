import ArgumentParser
import PopupClient
import PopupProtocol

struct HistoryCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the popups that closed last, the latest first: when, how, and what they said.")

    @OptionGroup var target: PatternArgument

    @Option(name: .shortAndLong, help: "The number of popups.")
    var limit = 20

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { target.groups }

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be more than 0.") }
    }

    func run(_ admin: AdminClient) async throws {
        let history = try await admin.history(of: target.pattern, limit: limit)
        if broker.json {
            for popup in history.popups { Terminal.print(try JSON.line(popup)) }
        } else {
            Table(of: history.popups).print(orSay: "no popups have closed\(Words.place(groups))")
        }
        if let note = Self.note(on: history, limit: limit) { StandardError.write("popupctl: \(note)") }
    }

    /// Returns what to say about a history that is shorter than what was asked for; `nil` if nothing is missing.
    static func note(on history: PopupHistory, limit: Int) -> String? {
        // As many as were asked for are no surprise.
        guard history.truncated, history.popups.count < limit else { return nil }
        return "there may be older ones: a reply has at most `limits.queryResults` popups, and a query visits the "
            + "latest 100,000 closed ones"
    }
}
