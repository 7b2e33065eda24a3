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
        #expect(TextWidth.fit("abcdef", columns: 5, ellipsis: "...") == "ab...")
        #expect(
            (-1...4).map { TextWidth.cut("abcdef", columns: $0, ellipsis: "...") }
                == ["", "", ".", "..", "...", "a..."])
        #expect(TextWidth.fit("日本語", columns: 6) == "日本語")
        #expect(TextWidth.fit("日本語", columns: 5) == "日本…")
        #expect(TextWidth.fit("日本語", columns: 4) == "日… ")
        #expect(TextWidth.fit("日本語", columns: 0) == "")
        #expect(TextWidth.cut("abc", columns: 5) == "abc")
        #expect(TextWidth.cut("日本語", columns: 4) == "日…")
    }
}
