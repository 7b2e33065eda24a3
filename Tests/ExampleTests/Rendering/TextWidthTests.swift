import ExampleSupport
import TerminalText
import Testing

@Suite("Columns of text")
struct TextWidthTests {
    @Test(
        "characters",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("€", 1), ("─", 1), ("…", 1), ("日", 2), ("한", 2), ("カ", 2),
            ("ｶ", 1), ("Ａ", 2), ("、", 2), ("😀", 2), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("⌚", 2),
            ("☎︎", 1), ("1️⃣", 2), ("ก", 1), ("ं", 0), ("𠮷", 2),
        ])
    func characters(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test("text is cut and filled to exact columns, never through a wide character")
    func fit() {
        #expect(TextWidth.fit("abc", columns: 5) == "abc  ")
        #expect(TextWidth.fit("abcdef", columns: 5) == "abcd…")
        #expect(TextWidth.fit("日本語", columns: 6) == "日本語")
        #expect(TextWidth.fit("日本語", columns: 5) == "日本…")
        #expect(TextWidth.fit("日本語", columns: 4) == "日… ")
        #expect(TextWidth.fit("日本語", columns: 0) == "")
        #expect(TextWidth.cut("abc", columns: 5) == "abc")
        #expect(TextWidth.cut("日本語", columns: 4) == "日…")
    }

    @Test("lines break at spaces, within long words, and between wide characters")
    func wrap() {
        #expect(TextWrap.lines("the quick brown fox", columns: 10) == ["the quick", "brown fox"])
        #expect(TextWrap.lines("incomprehensibilities", columns: 8) == ["incompre", "hensibil", "ities"])
        #expect(TextWrap.lines("東京都は雨です", columns: 6) == ["東京都", "は雨で", "す"])
        #expect(TextWrap.lines("a 東京都", columns: 5) == ["a 東", "京都"])
        #expect(TextWrap.lines("", columns: 5) == [""])
        #expect(TextWrap.lines("  two  spaces ", columns: 20) == ["  two  spaces"])
    }

    @Test("no line is ever wider than asked", arguments: 2...12)
    func widths(columns: Int) {
        let text = "Zug 👩‍👩‍👧‍👦 nach 東京 fährt um 12:30 von Gleis 7b-südlich ab 🚆🚆🚆"
        let lines = TextWrap.lines(text, columns: columns)
        #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
}
