import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("popupctl on a terminal", .ownThread)
struct TerminalViewTests {
    /// What a view writes after each of its drawings.
    private static let endOfDrawing = "\u{1B}[J"
    /// What it writes at its end: the colours are off, the cursor is back.
    private static let farewell = "\u{1B}[0m\u{1B}[?25h"

    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/")
    }

    /// Starts it on a terminal of 80 columns.
    private func start(_ arguments: String..., rows: UInt16, locale: String = "C.UTF-8") throws -> PseudoTerminal {
        try PseudoTerminal(
            BuiltPrograms.url("popupctl"), arguments + ["--ingress", broker.ingress, "--egress", broker.egress],
            environment: ["NO_COLOR": "1", "TERM": "xterm", "LC_ALL": locale], columns: 80, rows: rows)
    }

    /// Waits until the last complete drawing is as wanted, and returns its lines.
    @discardableResult
    private func drawing(
        on terminal: PseudoTerminal, where isWanted: ([String]) -> Bool
    ) async throws -> [String] {
        var lines: [String] = []
        try await terminal.wait { written in
            guard let drawing = written.components(separatedBy: Self.endOfDrawing).dropLast().last else { return false }
            // Before the first line is how the cursor gets there; each ends with the deletion of what stood behind it.
            lines = drawing.components(separatedBy: "\r\n").dropLast().map { line in
                let text = line.split(separator: "\r").last.map(String.init) ?? ""
                return text.replacing("\u{1B}[K", with: "").replacing("\u{1B}[?25l", with: "")
            }
            return isWanted(lines)
        }
        return lines
    }

    /// The words of the lines, by which columns are compared however wide they are.
    private static func words(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("watch draws what is busy first, scrolls by the keys, and leaves with q")
    func watch() async throws {
        for number in 11...22 { try wire.send([show("i\(number)", in: "idle-\(number)"), dismiss("i\(number)")]) }
        try wire.send([
            #"{"suspend":{"group":"held","token":"t"}}"#, show("kept", in: "held", #""text":"Not yet""#),
            show("busy", in: "zoo", #""priority":5,"text":"Hello","presentation":{"title":"News"}"#),
            show("next", in: "zoo", #""text":"then""#),
        ])
        try wire.settle()
        let content =
            [
                "", "zoo  1 in queue", "  ▶ busy  p5  News – Hello", "    1. next  p0  waiting  then", "",
                "held  1 in queue", "  –", "    1. kept  p0  waiting  Not yet", "",
            ] + (11...22).map { "idle-\($0)  –" }
        /// The screen whose first line of content is this one.
        func screen(from first: Int) -> [String] {
            let keys = "lines \(first + 1)–\(first + 7) of 21; ↑ ↓ PgUp PgDn scroll, q quits"
            return ["connected to \(broker.egress)"] + content[first..<first + 7] + [keys]
        }

        let terminal = try start("watch", rows: 10)
        try await drawing(on: terminal) { $0 == screen(from: 0) }
        #expect(!terminal.isCooked)
        for (key, first) in [("\u{1B}[B", 1), ("\u{1B}[6~", 8), ("\u{1B}[A", 7), ("\u{1B}[5~", 0)] {
            terminal.type(key)
            try await drawing(on: terminal) { $0 == screen(from: first) }
        }

        terminal.type("q")
        #expect(await terminal.exitCode() == 0)
        #expect(terminal.isCooked)
        #expect(terminal.rest().hasSuffix(Self.farewell))
    }

    @Test("watch shows what changes, and gives the terminal back when a signal ends it")
    func change() async throws {
        let terminal = try start("watch", "store/1", rows: 10)
        try await drawing(on: terminal) { $0.suffix(2) == ["", "store/1  –"] }
        try wire.send(show("A", in: "store/1", #""text":"Hello""#))
        try await drawing(on: terminal) { $0.suffix(3) == ["", "store/1", "  ▶ A  p0  Hello"] }
        try wire.send(dismiss("A"))
        try await drawing(on: terminal) { $0.suffix(2) == ["", "store/1  –"] }

        terminal.terminate()
        #expect(await terminal.exitCode() == 0)
        #expect(terminal.isCooked)
        #expect(terminal.rest().hasSuffix(Self.farewell))
    }

    @Test("top draws a table that follows what the broker does and fits the terminal, and leaves with q")
    func top() async throws {
        try wire.send(show("A", in: "store/1", #""priority":5,"text":"Hello","presentation":{"title":"News"}"#))
        try wire.settle()

        let terminal = try start("top", rows: 12)
        let first = try await drawing(on: terminal) { Self.words($0).contains("A store/1 5 active News – Hello") }
        #expect(!terminal.isCooked)
        #expect(
            first.first?.hasPrefix("popup-broker \(ProductVersion.current) at \(broker.egress), running for ") == true)
        #expect(first.contains { $0.hasPrefix("groups 1  live popups 1  subscriptions ") })
        #expect(Self.words(first).contains("ID GROUP PRIORITY PHASE TIME CONTENT"))
        let rates = /commands \S+\/s  refused \S+\/s  events \S+\/s  commits \S+\/s/
        #expect(first.contains { $0.wholeMatch(of: rates) != nil })

        try wire.send([dismiss("A"), show("B", in: "store/2", #""text":"Bye""#)])
        // The popups are asked for after the numbers: those may be a moment older.
        let second = try await drawing(on: terminal) { lines in
            Self.words(lines).contains("B store/2 0 active Bye")
                && lines.contains { $0.hasPrefix("groups 2  live popups 1  subscriptions ") }
        }
        #expect(!second.contains { $0.hasPrefix("A ") })

        try wire.send((1...20).map { show("C\($0)", in: "store/3") })
        let full = try await drawing(on: terminal) { $0.contains { $0.hasPrefix("groups 3  live popups 21  ") } }
        // One row is for the cursor.
        #expect(full.count == 11)
        #expect(full.last?.wholeMatch(of: /… \d+ more/) != nil)

        terminal.type("q")
        #expect(await terminal.exitCode() == 0)
        #expect(terminal.isCooked)
        #expect(terminal.rest().hasSuffix(Self.farewell))
    }

    @Test("watch and top have nothing but ASCII of their own where the locale is not one of UTF-8")
    func ascii() async throws {
        try wire.send((1...9).map { show("B\($0)", in: "store/1", #""text":"Hello","presentation":{"title":"News"}"#) })
        try wire.settle()

        let watch = try start("watch", "store/1", "idle", rows: 8, locale: "C")
        try await drawing(on: watch) { lines in
            lines.dropFirst() == [
                "", "store/1  8 in queue", "  > B1  p0  News - Hello", "    1. B2  p0  waiting  News - Hello",
                "    2. B3  p0  waiting  News - Hello", "lines 1-5 of 11; ^ v PgUp PgDn scroll, q quits",
            ]
        }
        let top = try start("top", rows: 12, locale: "C")
        let table = try await drawing(on: top) { Self.words($0).contains("B1 store/1 0 active News - Hello") }
        #expect(table.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(table.last?.wholeMatch(of: /\.\.\. \d+ more/) != nil)
        for terminal in [watch, top] {
            terminal.type("q")
            #expect(await terminal.exitCode() == 0)
        }
    }

    @Test("events says what it listens to before the first event")
    func events() async throws {
        let terminal = try start("events", "lobby", "store/*", rows: 24)
        try await terminal.wait(for: "popupctl: listening to lobby, store/*; Ctrl-C ends\r\n")
        // Subscribed when something of it has arrived.
        let deadline = Deadline.standard
        var round = 0
        repeat {
            round += 1
            try wire.send(show("E\(round)", in: "store/2", #""exclusive":"GROUP""#))
            try wire.settle()
        } while !terminal.rest().contains(#""group":"store/2""#) && !deadline.isOver
        #expect(terminal.rest().contains(#""group":"store/2""#))
        terminal.terminate()
        _ = await terminal.exitCode()
        #expect(terminal.isCooked)
    }
}
