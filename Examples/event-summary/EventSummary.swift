import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient

@main
struct EventSummary: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "event-summary",
        abstract: "Follows events, and prints at the end what was shown, when and why.",
        discussion: """
            Ends after the time --for, when the popup --until has closed, or on SIGINT or SIGTERM. It prints a line on standard \
            error when it listens: it misses no event after that.
            """,
        version: ProductVersion.text(of: "event-summary"))

    @OptionGroup var endpoints: EndpointOptions

    @Option(help: ArgumentHelp("The groups or patterns to follow (default: all).", valueName: "pattern"))
    var group: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End after this time: 20s, 2m (default: never).", valueName: "time"),
        transform: { text in
            guard let duration = TimeText.duration(text) else {
                throw ValidationError("`\(text)` is not a time; write 500ms, 20s or 2m.")
            }
            return duration
        })
    var duration: Duration?

    @Option(help: ArgumentHelp("End when this popup has closed.", valueName: "id"))
    var until: String?

    func perform() async throws {
        let admin = try AdminClient(endpoints.endpoints(environment: ProcessInfo.processInfo.environment))
        let events = try await admin.listening(to: group.isEmpty ? ["*"] : group)
        let recorder = Recorder()
        let (until, duration) = (until, duration)
        try await running(for: duration) {
            Output.error("event-summary: listening")
            for try await event in events {
                await recorder.add(event)
                if event.popup == until, case .closed = event.event { return }
            }
        }
        TimelineTable(timeline: await recorder.timeline).lines().forEach(Output.line)
        await admin.close()
    }
}

/// The timeline of the events that have arrived.
private actor Recorder {
    private(set) var timeline = Timeline()

    func add(_ event: PopupEvent) {
        timeline.add(event)
    }
}
