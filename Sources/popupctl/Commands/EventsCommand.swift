import ArgumentParser
import PopupClient

struct EventsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print events as they happen, until it is interrupted.",
        discussion: """
            Prints one JSON object per event. With --format text, it prints a short line instead: what happened and, if the \
            group has a page tree, the path that led to it. When the broker is gone, and when it is back, it says so on \
            standard error: the events in between may be missing.
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
        let events = try admin.events(of: groups)
        try await admin.connected(timeout: connection.timeout.duration)
        try await admin.checkRight(.events, in: groups)
        if Terminal.current.isTerminal {
            StandardError.write("popupctl: listening to \(groups.joined(separator: ", ")); Ctrl-C ends")
        }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await printAll(events) }
            tasks.addTask { try await reportOutages(of: admin.connection) }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// Prints events until there are as many as wanted.
    private func printAll(_ events: Events) async throws {
        var left = count
        for try await event in events {
            Terminal.print(format == .text ? EventLine.text(event) : try JSON.line(event))
            left? -= 1
            if left == 0 { break }
        }
    }

    /// Reports when the broker is gone and when it is back, until the task is cancelled. The broker does not repeat the
    /// events in between.
    private func reportOutages(of connection: BrokerConnection) async throws {
        let endpoint = connection.endpoints.egress
        try await connection.reportOutages(every: Self.outageInterval) { isConnected in
            StandardError.write(
                isConnected
                    ? "popupctl: the broker at \(endpoint) is back; events in between may be missing"
                    : "popupctl: no broker at \(endpoint) any more; waiting for it")
        }
    }

    /// The time between two checks whether the broker is there: at most the least time until the client connects again.
    private static var outageInterval: Duration { .milliseconds(100) }
}

/// The forms in which `popupctl events` prints an event.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    /// One JSON object per line.
    case json
    /// A line of text.
    case text
}
