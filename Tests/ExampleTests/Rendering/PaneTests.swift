import ExampleSupport
import PopupClient
import TerminalText
import Testing

@testable import terminal_renderer

@Suite("Screens on a terminal")
struct PaneTests {
    @Test("two groups beside each other, a file's end beneath, the keys in the last row")
    func beside() {
        let layout = PaneLayout(columns: 81, rows: 24, panes: 2, arrangement: .beside, hasTail: true)
        #expect(
            layout.panes == [
                Area(column: 0, row: 0, columns: 39, rows: 16), Area(column: 40, row: 0, columns: 41, rows: 16),
            ])
        #expect(layout.tail == Area(column: 0, row: 16, columns: 81, rows: 7))
        #expect(layout.status == Area(column: 0, row: 23, columns: 81, rows: 1))
    }

    @Test("stacked groups share the height")
    func stacked() {
        let layout = PaneLayout(columns: 40, rows: 22, panes: 2, arrangement: .stacked, hasTail: false)
        #expect(
            layout.panes == [
                Area(column: 0, row: 0, columns: 40, rows: 10), Area(column: 0, row: 10, columns: 40, rows: 11),
            ])
    }

    @Test("a pane fills its area exactly, on the smallest terminal too", arguments: [1, 3, 13, 14, 40], [1, 2, 4, 20])
    func fills(columns: Int, rows: Int) {
        var pane = Pane(group: "lobby")
        let area = Area(column: 0, row: 0, columns: columns, rows: rows)
        let popup = Popup(id: "A", group: "lobby", title: "Title", text: "text 日本語")
        for screen in [nil, Samples.screen(popup, waiting: 3)] {
            if let screen { pane.show(screen) }
            let lines = pane.lines(in: area, at: .now, hasFocus: true, .ascii)
            #expect(lines.count == rows)
            #expect(lines.allSatisfy { TextWidth.columns(of: $0.text) == columns })
        }
    }

    @Test("what is offered is asked, what is hidden is not drawn")
    func offers() {
        var pane = Pane(group: "lobby")
        let area = Area(column: 0, row: 0, columns: 40, rows: 9)
        func text(isHidden: Bool = false) -> [String] {
            pane.lines(in: area, at: .now, hasFocus: true, isHidden: isHidden, .ascii).map(\.text)
        }
        let popup = Popup(id: "A", group: "lobby", title: "Film", text: "Two hours")
        pane.show(Samples.screen(popup, isOffered: true))
        #expect(text().contains("+- Show this? Film --------------------+"))
        #expect(text().contains("| [y] Show it  [n] No  [l] Later       |"))
        #expect(text(isHidden: true).dropFirst().allSatisfy { $0.allSatisfy { $0 == " " } })
        pane.show(Samples.screen(popup, revision: 2))
        #expect(text().contains("+- Film -------------------------------+"))
    }

    @Test("a long text is scrolled as far as it goes; the next popup begins at its top")
    func scrolling() {
        var pane = Pane(group: "lobby")
        let area = Area(column: 0, row: 0, columns: 20, rows: 7)
        func first() -> String { pane.lines(in: area, at: .now, hasFocus: true, .ascii)[2].text }
        pane.show(Samples.screen(Popup(id: "A", group: "lobby", text: "1\n2\n3\n4\n5")))
        #expect(first() == "| 1                |")
        pane.scroll(by: 2, in: area, at: .now)
        #expect(first() == "| 3                |")
        pane.scroll(by: 9, in: area, at: .now)
        pane.scroll(by: -1, in: area, at: .now)
        #expect(first() == "| 3                |")
        pane.show(Samples.screen(Popup(id: "B", group: "lobby", text: "one\ntwo\nthree\nfour"), revision: 2))
        #expect(first() == "| one              |")
    }

    @Test("a page of a text is as long as its box, but for one line; only a longer text can be scrolled")
    func pages() {
        var pane = Pane(group: "lobby")
        let area = Area(column: 0, row: 0, columns: 20, rows: 13)
        let text = (1...40).map(String.init).joined(separator: "\n")
        #expect(pane.page(in: area, at: .now) == 1)
        pane.show(Samples.screen(Popup(id: "A", group: "lobby", text: text)))
        #expect(pane.canScroll(in: area, at: .now))
        func visible() -> [String] {
            let box = pane.lines(in: area, at: .now, hasFocus: true, .ascii).map(\.text).filter { $0.hasPrefix("|") }
            return box.map { $0.filter(\.isNumber) }.filter { !$0.isEmpty }
        }
        let before = visible()
        pane.scroll(by: pane.page(in: area, at: .now), in: area, at: .now)
        #expect(visible().first == before.last)
        pane.show(Samples.screen(Popup(id: "B", group: "lobby", text: "short"), revision: 2))
        #expect(!pane.canScroll(in: area, at: .now))
    }

    @Test(
        "a sentence in the status takes its rows from the panes, and leaves them one",
        arguments: [(24, 20), (3, 1), (2, 1)])
    func sentence(rows: Int, room: Int) {
        let layout = PaneLayout(
            columns: 40, rows: rows, panes: 1, arrangement: .beside, hasTail: false, statusRows: 4)
        #expect(layout.panes[0].rows == room)
        #expect(layout.status == Area(column: 0, row: room, columns: 40, rows: rows - room))
    }

    @Test("without a UTF-8 locale, the program's own characters are in ASCII, too")
    func ascii() {
        var canvas = Canvas(isColoured: false, isASCII: true)
        #expect(canvas.draw([[.init(column: 0, line: "a… –")]]).contains("\u{1B}[1;1Ha~ -"))
    }

    @Test("only rows that changed are drawn again, each at its place")
    func canvas() {
        var canvas = Canvas(isColoured: false)
        _ = canvas.draw([[.init(column: 0, line: "a")], [.init(column: 0, line: "b")]])
        #expect(canvas.draw([[.init(column: 0, line: "a")], [.init(column: 0, line: "b")]]) == "")
        #expect(
            canvas.draw([[.init(column: 0, line: "a")], [.init(column: 0, line: "c")]])
                == "\u{1B}[?2026h\u{1B}[2;1Hc\u{1B}[?2026l")
    }

    @Test("a row whose pieces stand elsewhere, or are narrower, is cleared first")
    func clearedRow() {
        var canvas = Canvas(isColoured: false)
        _ = canvas.draw([[.init(column: 0, line: "one sentence")]])
        #expect(
            canvas.draw([[.init(column: 0, line: "left"), .init(column: 6, line: "right")]])
                == "\u{1B}[?2026h\u{1B}[0m\u{1B}[1;1H\u{1B}[2K\u{1B}[1;1Hleft\u{1B}[1;7Hright\u{1B}[?2026l")
        #expect(
            canvas.draw([[.init(column: 0, line: "left"), .init(column: 6, line: "no")]])
                == "\u{1B}[?2026h\u{1B}[0m\u{1B}[1;1H\u{1B}[2K\u{1B}[1;1Hleft\u{1B}[1;7Hno\u{1B}[?2026l")
    }

    @Test("without a UTF-8 locale boxes are drawn in ASCII")
    func locale() {
        #expect(BorderSet(environment: ["LANG": "C.UTF-8"]) == .unicode)
        #expect(BorderSet(environment: ["LANG": "de_DE.UTF-8", "LC_ALL": "C"]) == .ascii)
        #expect(BorderSet(environment: [:]) == .ascii)
    }
}
