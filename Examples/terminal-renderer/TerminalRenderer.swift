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

    @Option(help: ArgumentHelp("How long after a popup came the answer is given, in ms.", valueName: "ms"))
    var after: UInt32 = 1000

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after it: 20s, 2m. Default: never.", valueName: "time"),
        transform: time)
    var duration: Duration?

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
        let renderer = try Renderer(endpoints.endpoints(environment: environment))
        let answers =
            autoAnswer.isEmpty ? nil : AutoAnswer(renderer, actions: autoAnswer, after: .milliseconds(Int64(after)))
        if !lines, let terminal = Terminal() {
            let stage = Stage(
                terminal, renderer, groups: group, arrangement: arrange,
                borders: (borders ?? BorderSet(environment: environment)).borders,
                isColoured: environment["NO_COLOR", default: ""].isEmpty, tail: tail.map(LogTail.init))
            try await running(for: duration) { [group] in
                terminal.enter()
                defer { terminal.leave() }
                try await Self.perform(on: stage, terminal, renderer, groups: group, answers)
            }
        } else {
            try await running(for: duration) { [group] in
                try await Self.printLines(renderer, groups: group, answers)
            }
        }
        await answers?.stop()
        await renderer.close()
    }

    private static func printLines(_ renderer: Renderer, groups: [String], _ answers: AutoAnswer?) async throws {
        async let connection: Void = reportMissingBroker(renderer) { Output.error("terminal-renderer: \($0)") }
        var log = ScreenLines()
        for try await screen in try renderer.connection.screens(of: groups) {
            // A subscription to a group is one to those below it too.
            guard groups.contains(screen.group) else { continue }
            log.lines(for: screen).forEach(Output.line)
            await answers?.answer(screen)
        }
        await connection
    }

    /// Screens, keys, the clock and the terminal's size: each draws. The first that ends, ends all.
    private static func perform(
        on stage: Stage, _ terminal: Terminal, _ renderer: Renderer, groups: [String], _ answers: AutoAnswer?
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for try await screen in try renderer.connection.screens(of: groups) {
                    await stage.show(screen)
                    await answers?.answer(screen)
                }
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
            tasks.addTask {
                await reportMissingBroker(renderer) { text in await stage.tell(text) }
                try await Task.sleep(for: .seconds(Int64(UInt32.max)))
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    /// A renderer may start before its broker: it says so and goes on.
    private static func reportMissingBroker(
        _ renderer: Renderer, _ tell: @Sendable (String) async -> Void
    ) async {
        do {
            try await renderer.connected(timeout: .seconds(5))
        } catch let error as ClientError {
            await tell("\(error); waiting for it")
            while !Task.isCancelled {
                if (try? await renderer.connected(timeout: .seconds(5))) != nil { return await tell("") }
            }
        } catch {
            // The end came first.
        }
    }
}

extension Arrangement: ExpressibleByArgument {}

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
