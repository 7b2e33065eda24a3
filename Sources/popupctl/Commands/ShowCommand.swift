import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol

struct ShowCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Ask for a popup, and print its state.",
        discussion: """
            The content is the argument, a file (--file), or standard input (-).
            Exits with 0 when the broker has accepted the popup: then it is not lost, and is shown in its turn. Exits with
            75 if no acknowledgement comes in time: then the broker may or may not have accepted it. Send it again with
            the same --id; it is shown once. With --wait, the command ends when the popup has closed: with 0 if it was
            dismissed, with 1 otherwise.

            popupctl show --group lobby --priority 5 --duration 8s "Hello"
            popupctl show --group lobby --action yes=Yes --action no=No --wait "Really?"
            popupctl show --group lobby --flow order --stage 2 --requires asked:yes "Thank you."
            """)

    enum Exclusive: String, CaseIterable, ExpressibleByArgument {
        case none, group, all
    }

    @OptionGroup(title: "Content") var content: ContentOptions

    @Option(name: .shortAndLong, help: "The group (screen) that shows it.")
    var group: String

    @Option(help: "Its id, which is never reused (default: a new random one).")
    var id: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional, help: "Its priority; popups of higher priority are shown first.")
    var priority: Int32 = 0

    @Option(
        name: [.short, .long, .customLong("duration-ms")],
        help: "Display time: 8s, 500ms, 2m; a number without a unit is in ms (default: that of the group).")
    var duration: TimeArgument?

    @Option(
        name: [.long, .customLong("ttl-ms")],
        help: "Close it (EXPIRED) if it is not shown for the first time within this time.")
    var ttl: TimeArgument?

    @Option(name: [.long, .customLong("delay-ms")], help: "Let it join the queue only after this time.")
    var delay: TimeArgument?

    @Option(
        name: [.long, .customLong("min-display-ms")],
        help: "The least display time: no newcomer interrupts it, and `advance` does not close it, earlier.")
    var minDisplay: TimeArgument?

    @Option(help: "Close all other popups of the group, or of all groups.")
    var exclusive = Exclusive.none

    @Option(help: "Replace a live popup of the group that has the same key.")
    var collapseKey: String?

    @Flag(inversion: .prefixedNo, help: "Whether a newcomer may interrupt it.")
    var interruptible = true

    @Option(help: "A name for selectors: the surface to which it belongs.")
    var surface: String?

    @OptionGroup(title: "Flow, page and session") var business: BusinessOptions

    @OptionGroup(title: "Renderers and caps") var audience: AudienceOptions

    @OptionGroup(title: "Presentation") var presentation: PresentationOptions

    @Flag(help: "Wait until it has closed, and print how.")
    var wait = false

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if wait, !acks.ack { throw ValidationError("--wait needs an acknowledgement; leave out --no-ack.") }
    }

    func send(_ admin: AdminClient) async throws -> String {
        let popup = try popup()
        try await admin.show(popup)
        return popup.id
    }

    func run(_ admin: AdminClient) async throws {
        let popup = try popup()
        let events = try admin.events(of: [group])
        let seen = try await Observation(admin: admin).seen(in: events) {
            do {
                try await admin.show(popup)
            } catch ClientError.acknowledgementTimedOut(let endpoint, let time) {
                throw Failure.acknowledgementTimedOut(for: popup.id, from: endpoint, after: time)
            }
        }
        let explanation = try await admin.explain(popup.id)
        if !wait || explanation.phase == .closed {
            try report(explanation, isNew: seen.contains { $0.popup == popup.id })
        }
        guard wait else { return }
        try await end(of: popup.id, explanation, seen + events.takeAvailable(), events)
    }

    func popup() throws -> Popup {
        var popup = Popup()
        var generator = SystemRandomNumberGenerator()
        popup.id = id ?? ProducerName(using: &generator).description
        popup.group = group
        popup.priority = priority
        popup.durationMs = duration?.milliseconds ?? 0
        popup.ttlMs = ttl?.milliseconds ?? 0
        popup.delayMs = delay?.milliseconds ?? 0
        popup.minDisplayMs = minDisplay?.milliseconds ?? 0
        popup.exclusive =
            switch exclusive {
            case .none: .none
            case .group: .group
            case .all: .all
            }
        popup.collapseKey = collapseKey ?? ""
        if !interruptible { popup.interruptible = false }
        popup.surface = surface ?? ""
        business.apply(to: &popup)
        audience.apply(to: &popup)
        popup.contentType = content.contentType ?? ""
        popup.actions = presentation.actions.map(\.action)
        if let presentation = presentation.presentation { popup.presentation = presentation }
        switch try content.read() {
        case .text(let text): popup.text = text
        case .data(let data): popup.data = data
        case nil: break
        }
        return popup
    }

    private func report(_ explanation: PopupExplanation, isNew: Bool) throws {
        guard !broker.json else { return Terminal.print(try JSON.line(explanation)) }
        let note = isNew ? "" : " (the id was known already; nothing has changed)"
        Terminal.print("\(explanation.id.onOneLine): \(Words.explanation(explanation))\(note)")
    }

    private func end(
        of id: String, _ explanation: PopupExplanation, _ seen: [PopupEvent], _ events: Events
    ) async throws {
        if explanation.phase == .closed { throw exitCode(explanation.closed) }
        for event in seen where event.popup == id {
            if case .closed(let closed)? = event.event { throw try reportEnd(event, closed) }
        }
        for try await event in events where event.popup == id {
            if case .closed(let closed)? = event.event { throw try reportEnd(event, closed) }
        }
    }

    private func reportEnd(_ event: PopupEvent, _ closed: PopupClosed) throws -> ExitCode {
        Terminal.print(broker.json ? try JSON.line(event) : "\(event.popup.onOneLine): \(Words.closed(closed))")
        return exitCode(closed)
    }

    private func exitCode(_ closed: PopupClosed) -> ExitCode {
        closed.reason == .dismissed ? .success : .failure
    }
}
