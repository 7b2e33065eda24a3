import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient
import UnixSignals

@main
struct TerminalRenderer: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminal-renderer",
        abstract: "Shows the popups of groups in a terminal and takes the person's keys as their actions.",
        discussion: """
            Without a terminal, or with --lines, it prints a line for each change: what came, what left and why.
            """)

    @OptionGroup var endpoints: EndpointOptions

    @Option(help: ArgumentHelp("A group to show; several, each on a screen of its own.", valueName: "name"))
    var group: [String]

    @Option(help: ArgumentHelp("Where several screens stand: beside or stacked.", valueName: "how"))
    var arrange: Arrangement = .beside

    @Flag(help: "Print lines, even on a terminal.")
    var lines = false

    @Option(
        help: ArgumentHelp(
            "Answer in the person's place: the first of these that a popup offers. Popups that offer others are left alone.",
            valueName: "action"))
    var autoAnswer: [String] = []

    @Option(
        help: ArgumentHelp(
            "Answer offers in the person's place: accept, veto or later. Default: offers are left alone.",
            valueName: "word"))
    var autoOffer: OfferWord?

    @Option(help: ArgumentHelp("How long after a popup came the answer is given, in ms.", valueName: "ms"))
    var after: UInt32 = 1000

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after it: 20s, 2m. Default: never.", valueName: "time"),
        transform: time)
    var duration: Duration?

    @Flag(help: "Hide what is shown while the terminal says that it has no focus.")
    var hideUnfocused = false

    @Option(help: ArgumentHelp("Show the last lines of this file beneath the screens.", valueName: "file"))
    var tail: String?

    @Option(
        help: ArgumentHelp(
            "What boxes are drawn with: unicode or ascii (default: as the locale has it).", valueName: "set"))
    var borders: BorderSet?

    func validate() throws {
        guard !group.isEmpty else { throw ValidationError("Name a group to show: --group lobby.") }
        for name in group where GroupName(name) == nil {
            throw ValidationError("`\(name)` is no group; use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`.")
        }
        guard Set(group).count == group.count else { throw ValidationError("A group is named twice.") }
    }

    func perform() async throws {
        let environment = ProcessInfo.processInfo.environment
        let endpoints = endpoints.endpoints(environment: environment)
        // Each screen is a renderer of its own, as if the others were in another room.
        let screens = try group.map { name in
            let renderer = try Renderer(endpoints)
            return GroupScreen(
                group: name, renderer: renderer,
                answers: AutoAnswer(
                    renderer, actions: autoAnswer, offers: autoOffer, after: .milliseconds(Int64(after))))
        }
        if !lines, let terminal = Terminal() {
            let stage = Stage(
                terminal, screens, arrangement: arrange,
                borders: (borders ?? BorderSet(environment: environment)).borders,
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
            tasks.addTask { try await screens[0].reportMissingBroker { Output.error("terminal-renderer: \($0)") } }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// Screens, keys, the clock and the terminal's size: each draws. The first that ends, ends all.
    private static func perform(on stage: Stage, _ terminal: Terminal, _ screens: [GroupScreen]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for screen in screens {
                tasks.addTask { try await screen.follow { await stage.show($0) } }
            }
            tasks.addTask {
                while let bytes = await terminal.input() {
                    if await stage.press(Key.keys(in: bytes)) { return }
                }
                // Without a keyboard the screens go on.
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
            tasks.addTask { try await screens[0].reportMissingBroker { await stage.tell($0) } }
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

    /// Line drawing where the locale has UTF-8.
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.uppercased()
        self = name.contains("UTF-8") || name.contains("UTF8") ? .unicode : .ascii
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
        throw ValidationError("`\(text)` is no time; write 500ms, 20s or 2m.")
    }
    return duration
}
