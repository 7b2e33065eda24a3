import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import TerminalText

struct ShowCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Ask for a popup, and print its state.",
        discussion: """
            The content is the argument, a file (--file), or standard input (-).
            Exits with 0 when the broker has accepted the popup: then it is not lost, and is shown in its turn. Exits \
            with 75 if no acknowledgement comes in time: then the broker may or may not have accepted it. Send it again \
            with the same --id; it is shown once.

            With --wait, the command ends when the popup has closed: with 0 if it was dismissed, by whatever action, \
            with 1 otherwise. For a question, use --expect yes: any answer but yes gives 1. Ctrl-C (or \
            SIGTERM, SIGHUP) cancels the popup, and the command ends with 130 (143, 129); --no-cancel leaves it; a second \
            Ctrl-C ends at once.

              popupctl show -g lobby --priority 5 --duration 8s "Hello"
              popupctl show -g lobby --action yes --action no --expect yes "Really?"
              answer=$(popupctl show -g lobby --action yes --action no --print-action "?")
              popupctl show -g lobby --flow order --stage 2 --requires asked:yes "Thanks"
            """)

    enum Exclusive: String, WordArgument {
        case none, group, all
    }

    @OptionGroup(title: "Content") var content: ContentOptions

    @Option(
        name: [.customShort("g"), .customLong("group")],
        help: "The group (screen) that shows it (default: that of the variable POPUP_GROUP).",
        completion: BrokerCompletion.groups)
    var givenGroup: String?

    @Option(help: "Its id, which is never reused, of characters that can be seen (default: a new random one).")
    var id: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional, help: "Its priority; popups of higher priority are shown first.")
    var priority: Int32 = 0

    @Option(
        name: [.short, .long, .customLong("duration-ms")],
        help: "Display time: 8s, 500ms, 1m30s; a number of 100 or more is in ms (default: that of the group).",
        transform: TimeArgument.parse)
    var duration: TimeArgument?

    @Option(
        name: [.long, .customLong("ttl-ms")],
        help: "Close it (EXPIRED) if it is not shown for the first time within this time.",
        transform: TimeArgument.parse)
    var ttl: TimeArgument?

    @Option(
        name: [.long, .customLong("delay-ms")], help: "Let it join the queue only after this time.",
        transform: TimeArgument.parse)
    var delay: TimeArgument?

    @Option(
        name: [.long, .customLong("min-display-ms")],
        help: "The least display time: no newcomer interrupts it, and `advance` does not close it, earlier.",
        transform: TimeArgument.parse)
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

    @Flag(help: "Send it also if it has neither text nor title.")
    var allowEmpty = false

    @OptionGroup(title: "Waiting and output") var waiting: WaitOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    /// The group: the given one, or that of the environment; empty if there is none.
    private var group: String {
        GroupArgument.chosen(given: givenGroup, environment: ProcessInfo.processInfo.environment)
    }

    var groups: [String] { [group] }

    func validate() throws {
        if !acks.ack, waiting.waits {
            throw ValidationError("Waiting for the end needs an acknowledgement; leave out --no-ack.")
        }
        if let form = waiting.form, !acks.ack || broker.json {
            throw ValidationError("--\(form.optionName) goes with neither --json nor --no-ack.")
        }
    }

    func checkArguments() throws(Failure) {
        try GroupArgument.check(group, "give a group with --group, or by the variable POPUP_GROUP")
        try business.check()
        try waiting.check(among: presentation.answers)
        // Such an id is valid, but nobody could type it again: lists have spaces in place of these characters.
        guard id == id?.onOneLine else {
            throw Failure(
                "--id has characters that no terminal shows, such as a change of direction; choose another id",
                .validationFailure)
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        let popup = try popup()
        try await admin.show(popup)
        return popup.id
    }

    func run(_ admin: AdminClient) async throws {
        let popup = try popup()
        guard waiting.waits else { return _ = try await ask(popup, admin, admin.eventsIfAllowed(of: group)) }
        let interrupts = Interrupts()
        let interrupted = interrupts.stream
        let end = try await withThrowingTaskGroup(of: End.self) { tasks in
            tasks.addTask { .closed(try await show(popup, admin)) }
            tasks.addTask {
                for await number in interrupted { return .interrupted(number) }
                throw CancellationError()
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? .interrupted(SIGINT)
        }
        interrupts.release()
        switch end {
        case .closed(let code): throw code
        case .interrupted(let signal):
            await cancel(popup.id, admin)
            throw ExitCode(128 + signal)
        }
    }

    /// The way in which a wait ends.
    private enum End {
        case closed(ExitCode)
        case interrupted(Int32)
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
        guard allowEmpty || popup.saysSomething else {
            throw Failure(
                "there is nothing to show; give a text, --file, --title or --icon (--allow-empty sends it nevertheless)",
                .validationFailure)
        }
        return popup
    }

    /// Asks for the popup, and reports its state unless the report of its end is to follow.
    ///
    /// - Parameter events: The events of its group; `nil`: the user may not follow them.
    /// - Returns: Its state, `nil` if the user may not ask for it, and the events until then.
    private func ask(
        _ popup: Popup, _ admin: AdminClient, _ events: Events?
    ) async throws -> (PopupExplanation?, [PopupEvent]) {
        let seen = try await Observation(admin: admin).seen(in: events) {
            do {
                try await admin.show(popup)
            } catch ClientError.acknowledgementTimedOut(let endpoint, let time) {
                throw Failure.acknowledgementTimedOut(for: popup.id, from: endpoint, after: time)
            }
        }
        if waiting.form == .printId { Terminal.print(popup.id) }
        guard let explanation = try await admin.explainIfAllowed(popup.id) else {
            if waiting.form == nil, !waiting.waits { printAccepted(popup.id) }
            return (nil, seen)
        }
        if waiting.form == nil, !waiting.waits || explanation.phase == .closed {
            let isNew = seen.contains { $0.popup == popup.id }
            let note = isNew || events == nil ? "" : " (the id was known already; nothing has changed)"
            Terminal.print(
                broker.json
                    ? try JSON.line(explanation)
                    : "\(popup.id.onOneLine): \(Words.explanation(explanation))\(note)")
        }
        return (explanation, seen)
    }

    /// Asks for the popup, waits until it has closed, and reports how.
    private func show(_ popup: Popup, _ admin: AdminClient) async throws -> ExitCode {
        let events = try await admin.eventsIfAllowed(of: group)
        let (explanation, seen) = try await ask(popup, admin, events)
        if let explanation, explanation.phase == .closed {
            let end = explanation.closed ?? PopupClosed()
            printAction(of: end)
            return waiting.exitCode(end)
        }
        for event in seen + (events?.takeAvailable() ?? []) {
            if let code = try report(event, of: popup.id) { return code }
        }
        if explanation == nil, events == nil {
            throw Failure(
                "the popup is accepted; to wait for its end, the user needs the right events or query in \(group)",
                .refused)
        }
        return try await withThrowingTaskGroup(of: ExitCode?.self) { tasks in
            if let events {
                tasks.addTask {
                    for try await event in events {
                        if let code = try report(event, of: popup.id) { return code }
                    }
                    throw CancellationError()
                }
            }
            // The event is missed if the connection is interrupted when the popup closes.
            if explanation != nil { tasks.addTask { try await endByAsking(popup.id, admin) } }
            defer { tasks.cancelAll() }
            for try await case let code? in tasks { return code }
            throw CancellationError()
        }
    }

    /// The time between two queries that show whether the popup has closed.
    private static var queryInterval: Duration { .seconds(5) }

    /// Asks from time to time whether the popup has closed, and reports how; `nil` if the user may no longer ask.
    private func endByAsking(_ id: String, _ admin: AdminClient) async throws -> ExitCode? {
        while true {
            try await Task.sleep(for: Self.queryInterval)
            let explanation: PopupExplanation
            do {
                guard let answer = try await admin.unlessDenied({ try await admin.explain(id) }) else { return nil }
                explanation = answer
            } catch is ClientError {
                continue
            }
            switch explanation.phase {
            case .closed:
                return try report(explanation)
            case .unknown: throw Failure.noPopup(id)
            default: continue
            }
        }
    }

    /// Reports the end of the popup, if an event is its end.
    private func report(_ event: PopupEvent, of id: String) throws -> ExitCode? {
        guard event.popup == id, case .closed(let closed)? = event.event else { return nil }
        var explanation = PopupExplanation()
        explanation.id = id
        explanation.group = event.group
        explanation.phase = .closed
        explanation.closed = closed
        explanation.closedAt = event.time
        return try report(explanation)
    }

    /// Reports how the popup closed, with `--json` in the form of `explain`.
    private func report(_ end: PopupExplanation) throws -> ExitCode {
        let closed = end.closed ?? PopupClosed()
        printAction(of: closed)
        if waiting.form == nil {
            Terminal.print(broker.json ? try JSON.line(end) : "\(end.id.onOneLine): \(Words.closed(closed))")
        }
        return waiting.exitCode(closed)
    }

    private func printAction(of closed: PopupClosed) {
        if waiting.form == .printAction, closed.reason == .dismissed { Terminal.print(closed.action.onOneLine) }
    }

    /// Cancels the popup after an interrupt, unless it is to stay.
    private func cancel(_ id: String, _ admin: AdminClient) async {
        guard waiting.cancel else {
            return StandardError.write("popupctl: `\(id)` stays; `popupctl dismiss \(id)` cancels it")
        }
        do {
            try await admin.dismiss(id)
            StandardError.write("popupctl: `\(id)` is cancelled")
        } catch ClientError.refused(let refusal) {
            StandardError.write("popupctl: `\(id)` is not cancelled: \(refusal)")
        } catch {
            StandardError.write("popupctl: `\(id)` may still be shown: \(error); `popupctl dismiss \(id)` cancels it")
        }
    }
}

extension Popup {
    /// Whether it has content that a renderer can show to a person.
    fileprivate var saysSomething: Bool {
        data?.isEmpty == false
            || [text ?? "", presentation.title, presentation.icon].contains { $0.contains { !$0.isWhitespace } }
    }
}
