import ExampleSupport
import TerminalText
import Testing

@Suite("The lines of a text")
struct TextWrapTests {
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
