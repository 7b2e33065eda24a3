import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("What popupctl prints")
struct OutputTests {
    private let plain = Terminal(isTerminal: false, environment: [:])

    @Test("has colours on a terminal that has them, and unless they are unwanted")
    func colours() {
        let seen = [
            Terminal(isTerminal: true, environment: ["TERM": "xterm"]),
            Terminal(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"]),
            Terminal(isTerminal: true, environment: ["TERM": "dumb"]),
            Terminal(isTerminal: false, environment: ["TERM": "xterm"]),
        ]

        #expect(seen.map { $0.styled("x", .red) } == ["\u{1B}[31mx\u{1B}[0m", "x", "x", "x"])
    }

    @Test("draws a group: what it shows, the time that is left, and its line")
    func group() {
        var state = WireGroupState()
        state.group = "lobby"
        state.waiting = 7
        state.active = Popup(id: "A", group: "lobby", priority: 5, title: "Hi", text: "two\nlines\u{1B}[2J")
        state.active.remainingMs = 8000
        let now = ContinuousClock.now
        let line = (1...7).map { number in
            var popup = PopupSummary()
            popup.id = "W\(number)"
            popup.phase = number == 1 ? .paused : .waiting
            if number == 1 { popup.remainingMs = 65_000 }
            return popup
        }

        let lines = GroupDrawing(terminal: plain, now: now + .milliseconds(800))
            .lines("lobby", LiveView.Group(screen: Screen(state, received: now), line: line))

        #expect(
            lines == [
                "", "lobby  7 to come", "  ▶ A  p5  7.2 s  Hi – two lines [2J", "    1. W1  p0  paused 1:05 min",
                "    2. W2  p0  waiting", "    3. W3  p0  waiting", "    4. W4  p0  waiting", "    5. W5  p0  waiting",
                "    … 2 more",
            ])
        #expect(GroupDrawing(terminal: plain, now: now).lines("empty", LiveView.Group()) == ["", "empty", "  –"])
    }

    @Test("cuts a line where the terminal ends: colours take no room, wide characters two")
    func cutting() {
        #expect(Canvas.cut("abcdef", to: 6) == "abcdef")
        #expect(Canvas.cut("abcdef", to: 3) == "abc\u{1B}[0m")
        #expect(Canvas.cut("\u{1B}[31mab\u{1B}[0mcd", to: 3) == "\u{1B}[31mab\u{1B}[0mc\u{1B}[0m")
        #expect(Canvas.cut("日本語", to: 5) == "日本\u{1B}[0m")
    }

    @Test("tells a change of a group on one line")
    func watchLine() {
        var state = WireGroupState()
        state.group = "lobby"
        state.active = Popup(id: "B", group: "lobby", priority: 2, text: "Hello")
        state.active.remainingMs = 3000
        state.waiting = 1
        state.cause.kind = .closed
        state.cause.popup = "A"
        state.cause.reason = .dismissed
        state.cause.action = "ok"

        let line = WatchLine.text(Screen(state, received: .now), at: Date())

        #expect(line.dropFirst(9) == "lobby closed A DISMISSED ok: B, priority 2, 3.0 s left, 1 to come: Hello")
    }

    @Test("puts popups in columns")
    func table() {
        var popup = PopupSummary()
        popup.id = "a-long-name"
        popup.group = "g"
        popup.priority = -2
        popup.phase = .delayed
        popup.delayMs = 1500

        #expect(
            Table(of: [popup]).lines(on: plain) == [
                "ID           GROUP  PRIORITY  PHASE    TIME      SURFACE",
                "a-long-name  g      -2        delayed  in 1.5 s",
            ])
    }

    @Test("ends with the exit code that the failure has")
    func failures() {
        let codes = [
            ClientError.notConnected(endpoint: "e", after: .seconds(1)), .noReply(endpoint: "e", after: .seconds(1)),
            .refused(CommandRefusal(.invalid, "")), .invalidGroup("a b"),
        ].map { Failure($0).code.rawValue }

        #expect(codes == [75, 75, 65, 64])
    }
}
