import ExampleSupport
import Testing

@Suite("Text of others is harmless")
struct SafeTextTests {
    @Test(
        "no escape sequence survives",
        arguments: [
            ("\u{1B}[2J\u{1B}[1;1Hgone", "␛[2J␛[1;1Hgone"),
            ("\u{1B}]0;title\u{07}", "␛]0;title␇"),
            ("\u{9B}31mred", "\u{FFFD}31mred"),
            ("a\u{08}\u{08}b\u{7F}\u{00}", "a␈␈b␡␀"),
        ])
    func control(text: String, shown: String) {
        #expect(SafeText.lines(text) == [shown])
    }

    @Test("text cannot be turned round or hidden")
    func direction() {
        #expect(
            SafeText.lines("pay \u{202E}001\u{202C} \u{2066}x\u{2069} a\u{200B}b\u{AD}c\u{FEFF}") == ["pay 001 x abc"])
    }

    @Test("all kinds of line breaks are lines, a tab is spaces")
    func breaks() {
        #expect(SafeText.lines("a\nb\r\nc\rd\u{2028}e\u{85}f\tg") == ["a", "b", "c", "d", "e", "f    g"])
        #expect(SafeText.line("a\nb") == "a ⏎ b")
        #expect(SafeText.lines("") == [""])
    }

    @Test("accents do not pile up without end")
    func accents() {
        let tower = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(SafeText.line(tower).unicodeScalars.count == 16)
    }

    @Test("what belongs to words and emoji stays")
    func joined() {
        let text = "👩‍👩‍👧‍👦 می‌خواهم ❤️ é 日本語"
        #expect(SafeText.line(text) == text)
    }
}
