import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The terminal renderer", .timeLimit(.minutes(5)))
struct TerminalRendererTests {
    @Test("without a terminal: a line for each change, answers in the user's place")
    func lines() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            let renderer = try broker.start(
                "terminal-renderer", ["--group", "lobby", "--auto-answer", "coming", "--after", "100"])
            let actions = [PopupAction(id: "later", label: "Later"), PopupAction(id: "coming", label: "Coming")]
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
                actions: [PopupAction(id: "accept", label: "Accept"), PopupAction(id: "counter", label: "Counter")])
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
            #expect(terminal.rest().hasSuffix("\u{1B}[0m\u{1B}[?1004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("an offer is asked, and shown when the user wants it; what is hidden is told to be")
    func offers() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk")
            var policy = GroupPolicy("desk")
            policy.clock = .visible
            try await broker.admin.setPolicy(policy)
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk"],
                environment: broker.environment.merging(["LC_ALL": "C.UTF-8", "NO_COLOR": "1"]) { $1 },
                columns: 80, rows: 24)
            try await terminal.wait(for: "[h] hide")
            var popup = Popup(id: "film", group: "desk", duration: .seconds(600), title: "A film", text: "Two hours")
            popup.offerMs = 60_000
            try await broker.producer.show(popup)
            #expect(try await events.next() == "film offered")
            try await terminal.wait(for: "╭─ Show this? A film ─")
            try await terminal.wait(for: "[y] Show it  [n] No  [l] Later")
            try await Self.press("y", on: terminal) { try await broker.phase(of: "film") != .offered }
            #expect(try await events.next() == "film shown")
            try await terminal.wait(for: "╭─ A film ─")

            // Its time runs while it is visible alone.
            try await broker.untilTime(of: "film", runs: true)
            terminal.type("h")
            try await terminal.wait(for: "hidden: [h] show again")
            try await broker.untilTime(of: "film", runs: false)
            terminal.type("h")
            try await broker.untilTime(of: "film", runs: true)

            popup.id = "second"
            try await broker.producer.show(popup)
            #expect(try await events.next() == "second queued")
            try await broker.admin.advance("desk")
            #expect(try await events.until("second offered") == ["film closed ADVANCED", "second offered"])
            try await Self.press("n", on: terminal) { try await broker.phase(of: "second") == .closed }
            #expect(try await events.next() == "second closed VETOED")
            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("without a terminal: offers are told, and answered in the user's place")
    func offeredLines() async throws {
        try await TestBroker.run { broker in
            let renderer = try broker.start(
                "terminal-renderer",
                ["--group", "lobby", "--auto-answer", "ok", "--auto-offer", "accept", "--after", "50"])
            var popup = Popup(id: "A", group: "lobby", text: "Hello")
            popup.offerMs = 60_000
            try await broker.producer.show(popup)
            var lines: [String] = []
            for _ in 0..<3 { lines.append(try await renderer.output.next()) }
            #expect(
                lines == [
                    "lobby  offered  A  \"Hello\"", "lobby  shown    A  \"Hello\"", "lobby  closed   A  DISMISSED ok",
                ])
            #expect(await renderer.stop() == 0)
        }
    }

    @Test(
        "the status line has the key for the next screen when there is one",
        arguments: [
            (["desk"], " [h] hide   [q] quit"), (["desk", "hall"], " [Tab] next screen   [h] hide   [q] quit"),
        ])
    func keysOfTheStatusLine(groups: [String], keys: String) async throws {
        try await TestBroker.run { broker in
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), groups.flatMap { ["--group", $0] },
                environment: broker.environment.merging(["LC_ALL": "C.UTF-8", "NO_COLOR": "1"]) { $1 },
                columns: 80, rows: 24)
            // The last row, from its beginning.
            try await terminal.wait(for: "\u{1B}[24;1H\(keys) ")
            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("the status line says that the broker is gone")
    func brokerGone() async throws {
        try await TestBroker.run { broker in
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk"], environment: broker.environment,
                columns: 120, rows: 24)
            // The keys are there before the connection is: what a popup shows is not.
            try await broker.producer.show(Popup(id: "A", group: "desk", text: "Hello from the broker"))
            try await terminal.wait(for: "Hello from the broker")
            await broker.program.stop()
            try await terminal.wait(for: "no broker at \(broker.endpoints.egress): what is shown may be outdated")
            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("on 80 columns, the sentence that the broker is gone is whole, and the keys stay")
    func narrowOutage() async throws {
        try await TestBroker.run { broker in
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk"], environment: broker.environment,
                columns: 80, rows: 24)
            try await terminal.wait(for: "\u{1B}[24;1H [h] hide   [q] quit")
            try await broker.producer.show(Popup(id: "A", group: "desk", text: "Hello from the broker"))
            try await terminal.wait(for: "Hello from the broker")
            await broker.program.stop()
            let sentence = "\u{1B}[23;1H no broker at \(broker.endpoints.egress): what is shown may be outdated "
            let written = try await terminal.wait { $0.contains(sentence) }
            // The row of the keys stays as it was.
            #expect(!written.contains("\u{1B}[24;1H"))
            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("a terminal that cannot move the cursor gets lines", arguments: ["dumb", ""])
    func noCursor(term: String) async throws {
        try await TestBroker.run { broker in
            let terminal = try PseudoTerminal(
                Package.product("terminal-renderer"), ["--group", "desk"],
                environment: broker.environment.merging(["TERM": term]) { $1 }, columns: 80, rows: 24)
            try await broker.producer.show(Popup(id: "A", group: "desk", text: "Hello"))
            let written = try await terminal.wait { $0.hasSuffix("\r\n") }
            #expect(written == "desk  shown    A  \"Hello\"\r\n")
            terminal.terminate()
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("a user without the right to see a group is told so, and the program ends")
    func missingRight() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            "security: {roles: {some: [{groups: [desk], may: [watch, render]}]}, anonymous: [some]}\n",
            to: "popup-broker.yaml")
        let broker = try RunningProgram(
            inPackage: Package.product("popup-broker"),
            [
                "run", "--config", folder.path("popup-broker.yaml"), "--ingress", "tcp://127.0.0.1:*", "--egress",
                "tcp://127.0.0.1:*",
                "--durability", "memory",
            ])
        let line = try await broker.output.next { $0.hasPrefix("popup-broker ready") }
        let match = try #require(line.firstMatch(of: /ingress=(\S+) egress=(\S+)/))
        let renderer = try RunningProgram(
            inPackage: Package.product("terminal-renderer"),
            ["--group", "desk", "--group", "hall", "--ingress", String(match.1), "--egress", String(match.2)])
        #expect(await renderer.exitCode() == 65)
        let sentence = "PERMISSION_DENIED: a client without a key needs the right watch in \"hall\""
        #expect(await renderer.errors.all().contains { $0.contains(sentence) })
        await broker.stop()
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
            [], ["--group", "a b"], ["--group", "a", "--group", "a"],
            ["--group", "a", "--for", "soon"],
            ["--group", "a", "--ingress", "nonsense"],
        ])
    func usage(arguments: [String]) async throws {
        let renderer = try RunningProgram(inPackage: Package.product("terminal-renderer"), arguments)
        #expect(await renderer.exitCode() == 64)
        #expect(await !renderer.errors.all().isEmpty)
    }

    @Test("a pattern is no group to show")
    func pattern() async throws {
        let renderer = try RunningProgram(inPackage: Package.product("terminal-renderer"), ["--group", "store/*"])
        #expect(await renderer.exitCode() == 64)
        #expect(
            await renderer.errors.all().first
                == "Error: `store/*` is a pattern; name each group to show, with a --group of its own.")
    }

    /// A person who sees that nothing happens presses again: keys that come right after a popup don't count.
    private static func press(
        _ key: String, on terminal: PseudoTerminal, until popup: String, isClosedAt broker: TestBroker
    ) async throws {
        try await press(key, on: terminal) { try await broker.phase(of: popup) == .closed }
    }

    private static func press(
        _ key: String, on terminal: PseudoTerminal, until isDone: () async throws -> Bool
    ) async throws {
        repeat {
            terminal.type(key)
            try await Task.sleep(for: .milliseconds(100))
        } while try await !isDone()
    }
}

extension TestBroker {
    fileprivate func phase(of popup: String) async throws -> PopupPhase {
        try await admin.explain(popup).phase
    }

    /// Waits until the display time of a group's popup goes down, or stands still.
    fileprivate func untilTime(of popup: String, runs isRunning: Bool) async throws {
        func left() async throws -> UInt32? {
            try await admin.peek("desk").popups.first { $0.id == popup }?.remainingMs
        }
        while true {
            let before = try await left()
            try await Task.sleep(for: .milliseconds(20))
            if (try await left() != before) == isRunning { return }
        }
    }
}
