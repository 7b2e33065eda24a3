import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient
import TerminalText
import UnixSignals

@main
struct TerminalRenderer: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal-renderer",
        abstract: "Shows the popups of groups in a terminal, with keys for their actions.",
        discussion: """
            Without a terminal, on one that cannot move the cursor (TERM is dumb or empty), or with --lines, it prints \
            a line for each change: what appears, what ends and why.
            """,
        version: ProductVersion.text(of: "terminal-renderer"))

    @OptionGroup var endpoints: EndpointOptions

    @Option(
        help: ArgumentHelp("The group to show; may be repeated, each group has a screen of its own.", valueName: "name")
    )
    var group: [String]

    @Option(help: ArgumentHelp("The arrangement of several screens: beside or stacked.", valueName: "how"))
    var arrange: Arrangement = .beside

    @Flag(help: "Print lines, even on a terminal.")
    var lines = false

    @Option(
        help: ArgumentHelp(
            "Answer by itself with this action, if the popup has it; may be repeated, the first match counts.",
            valueName: "action"))
    var autoAnswer: [String] = []

    @Option(
        help: ArgumentHelp(
            "Answer offers by itself: accept, veto or later (default: do not answer).",
            valueName: "word"))
    var autoOffer: OfferWord?

    @Option(help: ArgumentHelp("The time from a popup to its automatic answer, in ms.", valueName: "ms"))
    var after: UInt32 = 1000

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End after this time: 20s, 2m (default: never).", valueName: "time"),
        transform: time)
    var duration: Duration?

    @Flag(help: "Hide the popups while the terminal reports that it has no focus.")
    var hideUnfocused = false

    @Option(help: ArgumentHelp("Show the last lines of this file below the screens.", valueName: "file"))
    var tail: String?

    @Option(
        help: ArgumentHelp(
            "The characters of the boxes: unicode or ascii (default: by the locale).", valueName: "set"))
    var borders: BorderSet?

    func validate() throws {
        guard !group.isEmpty else { throw ValidationError("Name a group to show: --group lobby.") }
        for name in group where GroupName(name) == nil {
            if name.contains("*") {
                throw ValidationError("`\(name)` is a pattern; name each group to show, with a --group of its own.")
            }
            throw ValidationError(
                "`\(name)` is not a valid group name; use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`.")
        }
        guard Set(group).count == group.count else { throw ValidationError("A group is given twice.") }
    }

    func perform() async throws {
        let environment = ProcessInfo.processInfo.environment
        let endpoints = endpoints.endpoints(environment: environment)
        // Each pane is a renderer of its own, as if the others were in another room.
        let screens = try group.map { name in
            let renderer = try Renderer(endpoints)
            return GroupScreen(
                group: name, renderer: renderer,
                answers: AutoAnswer(
                    renderer, actions: autoAnswer, offers: autoOffer, after: .milliseconds(Int64(after))))
        }
        if !lines, let terminal = Terminal(environment: environment) {
            let stage = Stage(
                terminal, screens, arrangement: arrange,
                characters: borders ?? BorderSet(environment: environment),
                isColoured: environment["NO_COLOR", default: ""].isEmpty, hidesWithoutFocus: hideUnfocused,
                tail: tail.map(LogTail.init))
            try await running(for: duration) {
                terminal.enter()
                defer { terminal.leave() }
                try await Self.perform(on: stage, terminal, screens)
            }
        } else {
            try await running(for: duration) { try await Self.printLines(screens) }
        }
        for screen in screens { await screen.close() }
    }

    private static func printLines(_ screens: [GroupScreen]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for screen in screens {
                tasks.addTask {
                    var log = ScreenLines()
                    try await screen.follow { log.lines(for: $0).forEach(Output.line) }
                }
            }
            tasks.addTask {
                try await screens.reportMissingBroker { Output.error("terminal-renderer: \($0 ?? "connected")") }
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// Runs the panes, the keys, the clock and the changes of the terminal's size, until the first of them ends.
    private static func perform(on stage: Stage, _ terminal: Terminal, _ screens: [GroupScreen]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for screen in screens {
                tasks.addTask { try await screen.follow { await stage.show($0) } }
            }
            tasks.addTask {
                while let bytes = await terminal.input() {
                    if await stage.press(Key.keys(in: bytes)) { return }
                }
                // Without a keyboard, the panes go on.
                try await Task.sleep(for: .seconds(Int64(UInt32.max)))
            }
            tasks.addTask {
                while true {
                    await stage.draw()
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            tasks.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigwinch) { await stage.resize() }
            }
            tasks.addTask { try await screens.reportMissingBroker { await stage.report(outage: $0) } }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }
}

extension Arrangement: ExpressibleByArgument {}

extension OfferWord: ExpressibleByArgument {}

/// The characters that boxes are drawn with.
enum BorderSet: String, CaseIterable, ExpressibleByArgument {
    case unicode
    case ascii

    /// Creates the set for a locale: line drawing characters if it has UTF-8.
    init(environment: [String: String]) {
        switch TerminalCharacters(environment: environment) {
        case .unicode: self = .unicode
        case .ascii: self = .ascii
        }
    }

    var borders: PopupBox.Borders {
        switch self {
        case .unicode: .unicode
        case .ascii: .ascii
        }
    }
}

private func time(_ text: String) throws -> Duration {
    guard let duration = TimeText.duration(text) else {
        throw ValidationError("`\(text)` is not a time; write 500ms, 20s or 2m.")
    }
    return duration
}
