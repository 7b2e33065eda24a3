import ArgumentParser
import PopupClient

struct EventsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print events as they happen, until it is interrupted.",
        discussion: """
            Prints one JSON object per event. With --format text, it prints a short line instead: what happened and, if the \
            group has a page tree, the path that led to it.
            """)

    @Argument(help: "Groups and patterns; * for all groups.", completion: BrokerCompletion.groups)
    var groups: [String] = ["*"]

    @Option(name: [.customShort("n"), .long], help: "End after this number of events.")
    var count: Int?

    @Option(help: "The format of an event: json or text (default: json).")
    var format: EventFormat?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if format == .text, broker.json { throw ValidationError("Give --format text or --json, not both.") }
    }

    func run(_ admin: AdminClient) async throws {
        var left = count
        let events = try admin.events(of: groups)
        try await admin.connected(timeout: broker.timeout.duration)
        try await admin.checkRight(.events, in: groups)
        if Terminal.current.isTerminal {
            StandardError.write("popupctl: listening to \(groups.joined(separator: ", ")); Ctrl-C ends")
        }
        for try await event in events {
            Terminal.print(format == .text ? EventLine.text(event) : try JSON.line(event))
            left? -= 1
            if left == 0 { break }
        }
    }
}

/// The forms in which `popupctl events` prints an event.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    /// One JSON object per line.
    case json
    /// A line of text.
    case text
}
