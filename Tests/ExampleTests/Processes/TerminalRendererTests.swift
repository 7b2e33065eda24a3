import Foundation
import PopupClient
import Testing

@Suite("The terminal renderer", .timeLimit(.minutes(2)))
struct TerminalRendererTests {
    @Test("without a terminal: a line for each change, answers in the person's place")
    func lines() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            let renderer = try broker.start(
                "terminal-renderer", ["--group", "lobby", "--auto-answer", "coming", "--after", "100"])
            let actions = [WireAction(id: "later", label: "Later"), WireAction(id: "coming", label: "Coming")]
            let visitor = Popup(id: "visitor", group: "lobby", title: "Visitor", text: "at the desk", actions: actions)
            try await broker.producer.show(visitor)
            // Another group below the first one isn't the renderer's.
            try await broker.producer.show(Popup(id: "other", group: "lobby/hall", text: "elsewhere"))
            #expect(try await events.until("visitor closed DISMISSED coming").first == "visitor shown")
            #expect(
                try await renderer.output.next() == "lobby  shown    visitor  \"Visitor: at the desk\"  [later coming]")
            #expect(try await renderer.output.next() == "lobby  closed   visitor  DISMISSED coming")
            #expect(await renderer.stop() == 0)
            #expect(await renderer.output.all().count == 2)
        }
    }

    @Test("on a terminal: a box, keys as actions, another size, and everything given back at the end")
    func terminal() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk")
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk", "--group", "hall"],
                environment: broker.environment.merging(["LC_ALL": "C.UTF-8", "NO_COLOR": "1"]) { $1 },
                columns: 80, rows: 24)
            try await terminal.wait(for: "\u{1B}[?1049h")
            #expect(!terminal.isCooked)
            var popup = Popup(
                id: "offer", group: "desk", title: "Bo to Milano", text: "1300 €\u{1B}[2J",
                actions: [WireAction(id: "accept", label: "Accept"), WireAction(id: "counter", label: "Counter")])
            popup.presentation.dismissOnOutside = true
            try await broker.producer.show(popup)
            try await terminal.wait(for: "╭─ Bo to Milano ─")
            try await terminal.wait(for: "│ 1300 €␛[2J ")
            try await terminal.wait(for: "[a] Accept  [c] Counter")

            terminal.resize(columns: 60, rows: 20)
            try await terminal.wait(for: "╭─ Bo to Milano ─")

            #expect(try await events.next() == "offer shown")
            try await Self.press("c", on: terminal, until: "offer", isClosedAt: broker)
            #expect(try await events.next() == "offer closed DISMISSED counter")

            popup.id = "second"
            try await broker.producer.show(popup)
            #expect(try await events.next() == "second shown")
            try await Self.press("\u{1B}", on: terminal, until: "second", isClosedAt: broker)
            #expect(try await events.next() == "second closed DISMISSED outside")

            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
            #expect(terminal.isCooked)
            #expect(terminal.rest().hasSuffix("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("SIGTERM gives the terminal back, too")
    func signalled() async throws {
        try await TestBroker.run { broker in
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk"], environment: broker.environment,
                columns: 80, rows: 24)
            try await terminal.wait(for: "desk")
            terminal.terminate()
            try await terminal.wait(for: "\u{1B}[?1049l")
            #expect(await terminal.exitCode() == 0)
            #expect(terminal.isCooked)
        }
    }

    @Test(
        "a wrong command line is one sentence and exit code 64",
        arguments: [
            [], ["--group", "a b"], ["--group", "a", "--group", "a"], ["--group", "store/*"],
            ["--group", "a", "--for", "soon"],
            ["--group", "a", "--ingress", "nonsense"],
        ])
    func usage(arguments: [String]) async throws {
        let renderer = try RunningProgram(Package.product("terminal-renderer"), arguments)
        #expect(await renderer.exitCode() == 64)
        #expect(await !renderer.errors.all().isEmpty)
    }

    /// A person who sees that nothing happens presses again: keys that come right after a popup don't count.
    private static func press(
        _ key: String, on terminal: PseudoTerminal, until popup: String, isClosedAt broker: TestBroker
    ) async throws {
        repeat {
            terminal.type(key)
            try await Task.sleep(for: .milliseconds(100))
        } while try await broker.console.explain(popup).phase != .closed
    }
}
