import ExampleSupport
import PopupClient
import TerminalText
import Testing

@testable import terminal_renderer

@Suite("A popup as a box")
struct PopupBoxTests {
    private func draw(
        _ popup: Popup, remaining: Duration? = nil, columns: Int = 30, rows: Int = 10,
        _ borders: PopupBox.Borders = .unicode, scrolled: Int = 0
    ) -> [String] {
        PopupBox(popup: popup, remaining: remaining, keys: ActionKeys(popup), borders: borders, scrolled: scrolled)
            .lines(columns: columns, rows: rows).map(\.text)
    }

    @Test("title, text, countdown and actions")
    func whole() {
        let popup = Popup(
            group: "desk", duration: .seconds(10), title: "Bo to Milano", text: "1300 €, loading tomorrow morning",
            actions: [PopupAction(id: "accept", label: "Accept"), PopupAction(id: "counter", label: "Counter")])
        #expect(
            draw(popup, remaining: .seconds(5), columns: 32) == [
                "╭─ Bo to Milano ───────────────╮",
                "│ 1300 €, loading tomorrow     │",
                "│ morning                      │",
                "│                              │",
                "│ ━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌ 5.0 s │",
                "│ [a] Accept  [c] Counter      │",
                "╰──────────────────────────────╯",
            ])
    }

    @Test("wide characters keep the border straight")
    func wide() {
        let popup = Popup(group: "g", title: "通知 🔔", text: "荷物が届きました。受け取ってください 📦")
        #expect(
            draw(popup, columns: 24) == [
                "╭─ 通知 🔔 ────────────╮",
                "│ 荷物が届きました。受 │",
                "│ け取ってください 📦  │",
                "│                      │",
                "│ [Enter] OK           │",
                "╰──────────────────────╯",
            ])
    }

    @Test("an attacker's sequences are text")
    func attack() {
        let popup = Popup(group: "g", title: "\u{1B}]0;owned\u{07}", text: "\u{1B}[2J\u{1B}[H\r\nok\u{9B}5n")
        let lines = draw(popup, columns: 24)
        let scalars = lines.joined().unicodeScalars
        #expect(!scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        #expect(lines[0] == "╭─ ␛]0;owned␇ ─────────╮")
    }

    @Test("what does not fit is cut; the actions stay")
    func cut() {
        let popup = Popup(
            group: "g", text: "one two three four five six seven eight nine ten",
            actions: [PopupAction(id: "ok", label: "Fine")])
        #expect(
            draw(popup, columns: 14, rows: 6, .ascii) == [
                "+------------+",
                "| one two    |",
                "| three fou… |",
                "|            |",
                "| [f] Fine   |",
                "+------ v 4 -+",
            ])
    }

    @Test("a text that is scrolled says how much is above and below, and ends with its last line")
    func scrolled() {
        let popup = Popup(
            group: "g", text: "one\ntwo\nthree\nfour\nfive", actions: [PopupAction(id: "ok", label: "Fine")])
        #expect(
            draw(popup, columns: 20, rows: 6, scrolled: 1) == [
                "╭──────────────────╮",
                "│ two              │",
                "│ three…           │",
                "│                  │",
                "│ [f] Fine         │",
                "╰─────── ↑ 1  ↓ 2 ─╯",
            ])
        #expect(
            draw(popup, columns: 20, rows: 6, .ascii, scrolled: 99) == [
                "+------------------+",
                "| four             |",
                "| five             |",
                "|                  |",
                "| [f] Fine         |",
                "+------------ ^ 3 -+",
            ])
    }

    @Test("a low box gives up the blank line and the countdown before the text")
    func low() {
        let popup = Popup(
            group: "g", duration: .seconds(300), text: "Door 3 is open", actions: [PopupAction(id: "ok", label: "Fine")]
        )
        #expect(
            draw(popup, remaining: .seconds(292), rows: 6) == [
                "╭────────────────────────────╮",
                "│ Door 3 is open             │",
                "│                            │",
                "│ ━━━━━━━━━━━━━━━ 4 min 52 s │",
                "│ [f] Fine                   │",
                "╰────────────────────────────╯",
            ])
        func beginnings(rows: Int) -> [Substring] {
            draw(popup, remaining: .seconds(292), rows: rows).dropFirst().dropLast().map { $0.dropFirst(2).prefix(4) }
        }
        #expect(beginnings(rows: 5) == ["Door", "━━━━", "[f] "])
        #expect(beginnings(rows: 4) == ["Door", "[f] "])
    }

    @Test("every line has the columns asked for, whatever the size", arguments: [14, 15, 20, 33, 64], 3...12)
    func sizes(columns: Int, rows: Int) {
        var popup = Popup(
            group: "g", duration: .seconds(3), title: "A title that is longer than most boxes are wide, 日本語",
            text: "Some text\nof lines, 日本語 and words, which has to be wrapped",
            actions: (1...5).map { PopupAction(id: "a\($0)", label: "Action number \($0)") })
        popup.presentation.dismissOnOutside = true
        let lines = draw(popup, remaining: .seconds(1), columns: columns, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { TextWidth.columns(of: $0) == columns })
    }
}
