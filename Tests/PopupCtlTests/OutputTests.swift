import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import TerminalText
import Testing
import ZeroMQ

@testable import popupctl

@Suite("What popupctl prints")
struct OutputTests {
    private let plain = Terminal(isTerminal: false, environment: ["LC_ALL": "C.UTF-8"])
    private let ascii = Terminal(isTerminal: false, environment: ["LANG": "de_DE.UTF-8", "LC_ALL": "C"])

    @Test("has colours on a terminal that has them, and unless they are unwanted")
    func colours() {
        let seen = [
            Terminal(isTerminal: true, environment: ["TERM": "xterm"]),
            Terminal(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"]),
            Terminal(isTerminal: true, environment: ["TERM": "dumb"]),
            Terminal(isTerminal: true, environment: ["TERM": ""]),
            Terminal(isTerminal: false, environment: ["TERM": "xterm"]),
        ]

        #expect(seen.map { $0.styled("x", .red) } == ["\u{1B}[31mx\u{1B}[0m", "x", "x", "x", "x"])
        // Only a terminal that moves the cursor is drawn on.
        #expect(seen.map(\.canRedraw) == [true, true, false, false, false])
    }

    @Test("tells who one is to the broker, and what one may do")
    func identity() {
        var identity = BrokerIdentity()
        identity.unrestricted = true
        #expect(WhoamiLines(identity: identity).lines == ["a client without a key", "may do everything"])
        identity.unrestricted = false
        #expect(WhoamiLines(identity: identity).lines.last == "may do nothing")
        identity.user = "clerk"
        var grant = BrokerIdentity.Grant()
        (grant.groups, grant.rights) = (["g", "h/*"], ["show", "dismiss"])
        (grant.maxPriority, grant.exclusive, grant.own) = (5, .group, true)
        var denied = BrokerIdentity.DeniedSubscription()
        (denied.prefix, denied.detail) = ("state/\u{1B}", "needs the right watch")
        (identity.grants, identity.denied) = ([grant], [denied])
        #expect(
            WhoamiLines(identity: identity).lines == [
                "the user clerk",
                "may show, dismiss in g, h/*; priority up to 5; exclusive GROUP; only popups that it has shown",
                "subscription denied: \("state/\u{1B}".onOneLine): needs the right watch",
            ])
    }

    @Test("draws a group: what it shows, the time that is left, and its queue")
    func group() {
        var state = PublishedState()
        state.group = "lobby"
        state.waiting = 7
        state.active = Popup(id: "A", group: "lobby", priority: 5, title: "Hi", text: "two\nlines\u{1B}[2J")
        state.active?.remainingMs = 8000
        let now = ContinuousClock.now
        let line = (1...7).map { number in
            var popup = PopupSummary()
            popup.id = "W\(number)"
            popup.phase = number == 1 ? .paused : .waiting
            if number == 1 { popup.remainingMs = 65_000 }
            return popup
        }

        let lobby = LiveView.Group(state: GroupState(state, received: now), queue: line)
        let lines = GroupDrawing(terminal: plain, now: now + .milliseconds(800)).lines("lobby", lobby)

        #expect(
            lines == [
                "", "lobby  7 in queue", "  ▶ A  p5  7.2 s  Hi – two lines [2J", "    1. W1  p0  paused 1 min 5 s",
                "    2. W2  p0  waiting", "    3. W3  p0  waiting", "    4. W4  p0  waiting", "    5. W5  p0  waiting",
                "    … 2 more",
            ])
        #expect(GroupDrawing(terminal: plain, now: now).lines("empty", LiveView.Group()) == ["", "empty", "  –"])
        let drawing = GroupDrawing(terminal: ascii, now: now).lines(["lobby": lobby, "empty": LiveView.Group()])
        #expect(drawing[2] == "  > A  p5  8.0 s  Hi - two lines [2J")
        #expect(drawing.suffix(3) == ["    ... 2 more", "", "empty  -"])
    }

    @Test("has ASCII for a few typographic characters without a locale of UTF-8, also in what users have written")
    func locale() {
        let environments = [
            ["LANG": "C.UTF-8"], ["LC_CTYPE": "en_US.utf8", "LANG": "C"], ["LC_ALL": "", "LANG": "C.UTF-8"],
            ["LC_ALL": "C", "LANG": "C.UTF-8"], ["LANG": "de_DE.ISO-8859-1"], [:],
        ]
        #expect(
            environments.map { TerminalCharacters(environment: $0) } == [
                .unicode, .unicode, .unicode, .ascii, .ascii, .ascii,
            ])
        #expect(TerminalCharacters.unicode.text("– ▶ Grüße…") == "– ▶ Grüße…")
        #expect(TerminalCharacters.ascii.text("– ▶ Grüße… 5 µs ↑ ↓") == "- > Grüße... 5 us ^ v")
        #expect(TerminalCharacters.ascii.sentence("use A–Z, not `A–Z`…") == "use A-Z, not `A–Z`...")
        #expect(TerminalCharacters.unicode.sentence("use A–Z, not `A–Z`…") == "use A–Z, not `A–Z`…")
    }

    @Test("leaves the words that a command takes as they are, without a locale of UTF-8, too")
    func words() {
        var popup = PopupSummary()
        (popup.id, popup.group, popup.title, popup.excerpt) = ("a–b…", "g", "News", "Hello…")
        let row = Table(of: [popup]).lines(on: ascii)[1].split(separator: " ")
        #expect(row.first == "a–b…" && row.suffix(3) == ["News", "-", "Hello..."])
        var state = PublishedState()
        state.group = "g"
        state.active = Popup(id: "a–b…", group: "g", title: "News", text: "Hello…")
        let shown = GroupState(state, received: .now)
        #expect(
            GroupDrawing(terminal: ascii, now: .now).lines("g", LiveView.Group(state: shown)).last
                == "  > a–b…  p0  News - Hello...")
        #expect(WatchLine.text(shown, at: Date(), .ascii).hasSuffix(": a–b…, priority 0: News - Hello..."))
        var explanation = PopupExplanation()
        (explanation.id, explanation.title, explanation.excerpt) = ("a–b…", "News", "Hello…")
        let lines = ExplanationLines(explanation: explanation, characters: .ascii).lines
        #expect(lines.first?.hasPrefix("a–b…: ") == true && lines.contains("content: News - Hello..."))
    }

    @Test("draws the groups that show something first, then those with a queue, and the idle ones on a line each")
    func order() {
        func group(_ name: String, shows: Bool = false, waiting: UInt32 = 0) -> LiveView.Group {
            var state = PublishedState()
            state.group = name
            if shows { state.active = Popup(id: "A", group: name, text: "") }
            state.waiting = waiting
            return LiveView.Group(state: GroupState(state, received: .now))
        }
        let groups = [
            "a": group("a"), "b": LiveView.Group(), "c": group("c", waiting: 1), "d": group("d", shows: true),
            "e": group("e", shows: true),
        ]

        let lines = GroupDrawing(terminal: plain, now: .now).lines(groups)

        #expect(
            lines == [
                "", "d", "  ▶ A  p0  ", "", "e", "  ▶ A  p0  ", "", "c  1 in queue", "  –", "", "a  –", "b  –",
            ])
    }

    @Test("scrolls within what there is")
    func scrolling() {
        var scroll = Scroll()
        #expect(scroll.visible(of: 10, in: 4) == 0..<4)
        for (key, seen) in [
            (Key.up, 0..<4), (.down, 1..<5), (.pageDown, 5..<9), (.pageDown, 6..<10), (.pageUp, 2..<6), (.last, 6..<10),
            (.first, 0..<4),
        ] {
            scroll.press(key)
            #expect(scroll.visible(of: 10, in: 4) == seen)
        }
        #expect(scroll.visible(of: 3, in: 4) == 0..<3)
        #expect(!scroll.isLeft)
        scroll.press(.quit)
        #expect(scroll.isLeft)
    }

    @Test("knows the keys of a terminal, and ignores others")
    func keys() {
        #expect(
            Key.keys(in: Array("\u{1B}[A\u{1B}[B\u{1B}[1;5Cj\u{1B}[5~x\u{1B}[6~q".utf8)) == [
                .up, .down, .down, .pageUp, .pageDown, .quit,
            ])
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
        var state = PublishedState()
        state.group = "lobby"
        state.active = Popup(id: "B", group: "lobby", priority: 2, text: "Hello")
        state.active?.remainingMs = 3000
        state.waiting = 1
        state.cause.kind = .closed
        state.cause.popup = "A"
        state.cause.reason = .dismissed
        state.cause.action = "ok"

        let line = WatchLine.text(GroupState(state, received: .now), at: Date())

        #expect(line.dropFirst(9) == "lobby closed A DISMISSED ok: B, priority 2, 3.0 s left, 1 in queue: Hello")
    }

    @Test("tells an offer from what is on screen")
    func offers() {
        var state = PublishedState()
        state.group = "lobby"
        state.active = Popup(id: "A", group: "lobby", priority: 5, text: "Hi")
        state.active?.remainingMs = 8000
        state.offered = true
        state.cause.kind = .offered
        let screen = GroupState(state, received: .now)

        #expect(
            GroupDrawing(terminal: plain, now: .now).lines("lobby", LiveView.Group(state: screen)) == [
                "", "lobby", "  ? A  p5  offered  Hi",
            ])
        #expect(
            WatchLine.text(screen, at: Date()).dropFirst(9) == "lobby offered: A offered, priority 5: Hi")
    }

    @Test("tells an event on one line, with the way that led to it")
    func eventLine() {
        var event = PopupEvent()
        event.group = "lobby"
        event.popup = "A"
        event.time = 12 * 3_600_000 + 184_000
        event.path = ["home", "history"]
        var closed = PopupClosed()
        (closed.reason, closed.action, closed.displayedMs) = (.dismissed, "buy", 3200)
        event.closed = closed
        func line() -> String { EventLine.text(event, timeZone: .gmt) }

        #expect(line() == "12:03:04 lobby A closed DISMISSED buy, shown for 3.2 s  [home/history]")
        event.path = []
        event.closed = PopupClosed()
        event.closed?.reason = .expired
        #expect(line() == "12:03:04 lobby A closed EXPIRED, never shown")
        var shown = PopupEvent.Shown()
        shown.attempt = 2
        event.shown = shown
        #expect(line() == "12:03:04 lobby A shown, attempt 2")
        event.event = .offered
        #expect(line() == "12:03:04 lobby A offered")
        var refused = PopupEvent.Refused()
        (refused.reason, refused.detail) = (.stale, "it is over")
        event.refused = refused
        #expect(line() == "12:03:04 lobby A refused STALE: it is over")
    }

    @Test("explains at once what keeps a popup, and then of what that is made")
    func explanations() {
        func lines(_ change: (inout PopupExplanation) -> Void) -> [String] {
            var explanation = PopupExplanation()
            explanation.id = "B"
            explanation.group = "lobby"
            explanation.phase = .waiting
            change(&explanation)
            return ExplanationLines(explanation: explanation, timeZone: .gmt).lines
        }
        #expect(
            lines {
                $0.rule = "requirement"
                $0.text = "`A` of its flow has to close with `confirm` first"
                $0.requirement = PopupRequirement("A", action: "confirm")
                $0.blockers = ["A"]
            } == [
                "B: waiting in lobby: `A` of its flow has to close with `confirm` first", "rule: requirement",
                "needs: A, closed with confirm", "behind: A",
            ])
        #expect(
            lines {
                $0.rule = "cap"
                $0.cap = PopupCap(3, per: .seconds(600), key: "ads")
                $0.remainingMs = 61_000
            } == ["B: waiting in lobby", "rule: cap", "cap: 3 in 10 min of ads", "for: 1 min 1 s more"])
        #expect(
            lines {
                $0.rule = "page"
                $0.page = .within("history", in: "app")
            } == ["B: waiting in lobby", "rule: page", "page: app:history:within"])
        #expect(
            lines {
                $0.rule = "session"
                $0.session = "guest"
            } == ["B: waiting in lobby", "rule: session", "session: guest"])
        #expect(
            lines {
                $0.rule = "queue"
                $0.blockers = ["A", "C", "D"]
                $0.ahead = 7
            } == ["B: waiting in lobby", "rule: queue", "behind: A, C, D and 5 more"])
        #expect(
            lines {
                $0.rule = "session"
                $0.session = "guest"
                var gap = HoldingRule()
                gap.rule = "gap"
                gap.text = "the pause between two popups lasts 40 ms more"
                $0.rules = [HoldingRule(), gap]
            } == [
                "B: waiting in lobby", "rule: session", "session: guest",
                "also: gap: the pause between two popups lasts 40 ms more",
            ])
        #expect(
            lines {
                $0.phase = .closed
                $0.rule = "closed"
                $0.text = "`A` arrived, which is exclusive"
                $0.closed = PopupClosed()
                $0.closed?.reason = .superseded
                $0.closed?.displayedMs = 400
                $0.by = "A"
                $0.closedAt = 1500
            } == [
                "B: closed SUPERSEDED, shown for 0.4 s", "why: `A` arrived, which is exclusive", "by: A",
                "at: 1970-01-01 00:00:01.500Z",
            ])
    }

    @Test(
        "writes times as people read them",
        arguments: [
            (0, "0.0 s"), (7249, "7.2 s"), (59_999, "59.9 s"), (60_000, "1 min"), (3_599_999, "59 min 59 s"),
            (3_600_000, "1 h"), (25_314_147, "7 h 1 min"),
        ] as [(UInt32, String)])
    func times(milliseconds: UInt32, text: String) {
        #expect(Words.time(milliseconds: milliseconds) == text)
    }

    @Test("turns the times of a sentence into readable ones, and leaves names alone")
    func sentences() {
        #expect(
            Words.sentence("held back for 25314147 ms more, by `5 ms`") == "held back for 7 h 1 min more, by `5 ms`")
        #expect(Words.sentence("in 99999999999 ms\nor 1500 ms") == "in 99999999999 ms or 1.5 s")
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
                "ID           GROUP  PRIORITY  PHASE    TIME      CONTENT",
                "a-long-name  g      -2        delayed  in 1.5 s",
            ])
        popup.phase = .waiting
        popup.expiresMs = 61_000
        popup.title = "News"
        popup.excerpt = "line\nby line, " + String(repeating: "x", count: 40)
        popup.surface = "top"
        #expect(
            Table(of: [popup]).lines(on: plain).last
                == "a-long-name  g      -2        waiting  expires in 1 min 1 s  top      "
                + "News – line by line, \(String(repeating: "x", count: 40))")
    }

    @Test("fits a table to the terminal: contents are cut, what does not fit beside is below, and no other word is cut")
    func narrowTable() {
        func popup(_ id: String, _ group: String, _ excerpt: String) -> PopupSummary {
            var popup = PopupSummary()
            (popup.id, popup.group, popup.phase, popup.excerpt) = (id, group, .active, excerpt)
            popup.remainingMs = 44_800
            return popup
        }
        let id = String(repeating: "3f2a", count: 8)
        let content = "Welcome – The canteen is open until 14:00, and the kiosk in the hall until 16:00."
        let table = Table(of: [popup(id, "lobby", content), popup("A", "hall", "")])
        let wide = "ID                                GROUP  PRIORITY  PHASE   TIME    CONTENT"

        #expect(
            table.lines(on: plain, columns: 100) == [
                wide, "\(id)  lobby  0         active  44.8 s  Welcome – The canteen is open un…",
                "A                                 hall   0         active  44.8 s",
            ])
        #expect(
            table.lines(on: plain, columns: 80) == [
                "ID                                GROUP  PRIORITY  PHASE   TIME", "  CONTENT",
                "\(id)  lobby  0         active  44.8 s",
                "  Welcome – The canteen is open until 14:00, and the kiosk in the hall until 16…",
                "A                                 hall   0         active  44.8 s",
            ])
        #expect(
            table.lines(on: plain, columns: 60) == [
                "ID                                GROUP  PRIORITY  PHASE", "  TIME    CONTENT",
                "\(id)  lobby  0         active",
                "  44.8 s  Welcome – The canteen is open until 14:00, and th…",
                "A                                 hall   0         active", "  44.8 s",
            ])
        #expect(
            table.lines(on: ascii, columns: 100)[1]
                == "\(id)  lobby  0         active  44.8 s  Welcome - The canteen is open ...")
        #expect(table.lines(on: ascii)[1].hasSuffix("  Welcome - \(content.dropFirst(10))"))
        #expect(table.lines(on: plain).first == wide)
        #expect(table.lines(on: plain)[1].hasSuffix(content))
        for columns in 34...120 {
            for terminal in [plain, ascii] {
                #expect(table.lines(on: terminal, columns: columns).allSatisfy { TextWidth.columns(of: $0) <= columns })
            }
        }
    }

    @Test("tells of a closed popup that it was never shown")
    func neverShown() {
        var popup = ClosedPopup()
        (popup.id, popup.group, popup.closed.reason) = ("A", "lobby", .expired)
        #expect(Table(of: [popup]).lines(on: plain).last?.hasSuffix("  lobby  A   EXPIRED  never") == true)
        #expect(Words.closed(popup.closed) == "closed EXPIRED, never shown")
        popup.closed.displayedMs = 1
        #expect(Words.closed(popup.closed) == "closed EXPIRED, shown for 0.0 s")
    }

    @Test("tells where nothing was found")
    func place() {
        #expect(Words.place([]) == "")
        #expect(Words.place(["*"]) == "")
        #expect(Words.place(["store/*"]) == " in store/*")
    }

    @Test("puts popups in columns that line up, however wide their characters are")
    func wideTable() {
        func popup(_ id: String, _ excerpt: String) -> PopupSummary {
            var popup = PopupSummary()
            (popup.id, popup.group, popup.phase, popup.excerpt) = (id, "g", .waiting, excerpt)
            return popup
        }
        let popups = [
            popup("日本語の長い名前", "👩‍👩‍👧‍👦 at home"), popup("👩‍👩‍👧‍👦", String(repeating: "日", count: 21)), popup("a", "b"),
        ]
        #expect(
            Table(of: popups).lines(on: plain) == [
                "ID                GROUP  PRIORITY  PHASE    TIME  CONTENT",
                "日本語の長い名前  g      0         waiting        👩‍👩‍👧‍👦 at home",
                "👩‍👩‍👧‍👦                g      0         waiting        \(String(repeating: "日", count: 21))",
                "a                 g      0         waiting        b",
            ])
    }

    @Test(
        "is one line, in which no character moves the cursor or the direction, and words and emoji stay whole",
        arguments: [
            ("a\nb\u{1B}[2J\u{2028}c", "a b [2J c"), ("x\u{202E}y\u{200B}z", "x y z"),
            ("👩‍👩‍👧‍👦 می\u{200C}خواهم", "👩‍👩‍👧‍👦 می\u{200C}خواهم"),
            ("\u{200D}a\u{200D}", " a "), ("a\u{200D}\u{200D}b\u{200D}\nc", "a  b  c"),
        ])
    func oneLine(text: String, line: String) {
        #expect(text.onOneLine == line)
    }

    @Test("cuts a line to the columns of the terminal, and counts neither colours nor what has no width")
    func cut() {
        #expect(Canvas.cut("👩‍👩‍👧‍👦 ❤️ x", to: 7) == "👩‍👩‍👧‍👦 ❤️ x")
        #expect(Canvas.cut("👩‍👩‍👧‍👦 ❤️ x", to: 6) == "👩‍👩‍👧‍👦 ❤️ \u{1B}[0m")
        #expect(Canvas.cut("\u{1B}[2m日本\u{1B}[0m", to: 3) == "\u{1B}[2m日\u{1B}[0m")
        #expect(Canvas.cut("\u{1B}[2m日本\u{1B}[0m", to: 4) == "\u{1B}[2m日本\u{1B}[0m")
    }

    @Test("ends with the exit code that the failure has")
    func failures() {
        let codes = [
            ClientError.notConnected(endpoint: "e", after: .seconds(1)), .noReply(endpoint: "e", after: .seconds(1)),
            .refused(Refusal(.invalid, "")), .invalidGroup("a b"),
            .handshakeFailed(endpoint: "e", .denied), .handshakeFailed(endpoint: "e", .socketType),
        ].map { Failure($0).code.rawValue }

        #expect(codes == [75, 75, 65, 64, 77, 75])
    }
}
