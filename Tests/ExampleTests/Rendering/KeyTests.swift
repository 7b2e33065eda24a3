import PopupClient
import Testing

@testable import terminal_renderer

@Suite("The person's keys")
struct KeyTests {
    @Test(
        "bytes become keys; other cursor and function keys are none",
        arguments: [
            ("a", [.character("a")]),
            ("\u{1B}", [.escape]),
            ("\r\t\u{03}", [.enter, .tab, .interrupt]),
            ("\u{1B}[A\u{1B}[B", [.up, .down]),
            ("\u{1B}OA\u{1B}OB", [.up, .down]),
            ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}[C\u{1B}[2~", []),
            ("\u{1B}[1;5Cx", [.character("x")]),
            ("\u{1B}OPy", [.character("y")]),
            ("\u{1B}a", []),
            ("\u{1B}\u{1B}[B", [.down]),
            ("\u{1B}[", []),
            ("\u{1B}[Ia\u{1B}[O", [.focusGained, .character("a"), .focusLost]),
        ] as [(String, [Key])])
    func bytes(text: String, keys: [Key]) {
        #expect(Key.keys(in: Array(text.utf8)) == keys)
    }

    @Test("each action gets a letter of its own, never a reserved one")
    func letters() {
        let labels = ["Accept", "Ask", "Quit", "Ää", "ok", "okay", "k"]
        let keys = ActionKeys(Popup(group: "g", text: "", actions: labels.map { PopupAction(id: $0, label: $0) }))
        #expect(keys.keys.map(\.key) == ["a", "s", "u", "1", "o", "k", "2"])
        #expect(keys.captions.first == "[a] Accept")
        #expect(keys.action(for: .character("S")) == "Ask")
        #expect(keys.action(for: .character("x")) == nil)
        #expect(keys.action(for: .enter) == nil)
    }

    @Test("an offer has keys of its own, what is shown those of its actions, an empty screen none")
    func offers() throws {
        let popup = Popup(group: "g", text: "", actions: [PopupAction(id: "buy", label: "Buy")])
        #expect(ActionKeys(Samples.screen(popup))?.captions == ["[b] Buy"])
        let offer = try #require(ActionKeys(Samples.screen(popup, isOffered: true)))
        #expect(offer.captions == ["[y] Show it", "[n] No", "[l] Later"])
        #expect("ynl".map { offer.action(for: .character($0)) } == ["accept", "veto", "later"])
        #expect(ActionKeys(Samples.screen(nil)) == nil)
    }

    @Test("escape is `outside` only where the popup allows it")
    func outside() {
        var popup = Popup(group: "g", text: "")
        #expect(ActionKeys(popup).action(for: .escape) == nil)
        popup.presentation.dismissOnOutside = true
        #expect(ActionKeys(popup).action(for: .escape) == "outside")
    }

    @Test("a popup without actions is put away with Enter")
    func enter() {
        #expect(ActionKeys(Popup(group: "g", text: "")).action(for: .enter) == "ok")
    }
}
