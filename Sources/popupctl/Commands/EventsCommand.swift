import ArgumentParser
import PopupClient

struct EventsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what happens to popups, one JSON line an event, until it is interrupted.",
        discussion: """
            With --format text a line for people: what happened and, where the group has a page tree, on which way.
            """)

    @Argument(help: "Groups and patterns; none: every group.")
    var groups: [String] = ["*"]

    @Option(name: [.customShort("n"), .long], help: "End after so many events.")
    var count: Int?

    @Option(help: "How an event is printed: json or text.")
    var format: EventFormat?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
        if format == .text, broker.json { throw ValidationError("Give --format text or --json, not both.") }
    }

    func run(_ admin: AdminClient) async throws {
        var left = count
        let events = try admin.events(of: groups)
        try await admin.connected(timeout: broker.timeout.duration)
        for try await event in events {
            Terminal.print(format == .text ? EventLine.text(event) : try JSON.line(event))
            left? -= 1
            if left == 0 { break }
        }
    }
}

/// The forms in which `popupctl events` prints an event.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    /// One JSON object a line.
    case json
    /// A line for people.
    case text
}
