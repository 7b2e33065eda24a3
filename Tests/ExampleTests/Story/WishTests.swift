import PopupClient
import Testing

@testable import wish_story

@Suite("A wish")
struct WishTests {
    /// What the server says to a popup's end.
    private func react(_ wish: inout Wish, _ part: String, _ action: String, _ reason: PopupClosed.Reason = .dismissed)
        -> String
    {
        var closed = PopupClosed()
        closed.reason = reason
        closed.action = action
        return switch wish.react(to: "w-\(part)", closed) {
        case .send(let popups): popups.map { String($0.id.dropFirst(2)) }.joined(separator: " ")
        case .nothing: "nothing"
        case .end(let how): how
        }
    }

    @Test("in answer: each choice leads to the next popup, the share comes last in every case")
    func inAnswer() {
        func story(_ choices: (String, String)...) -> [String] {
            var wish = Wish(name: "w", sending: .inAnswer)
            return choices.map { react(&wish, $0.0, $0.1) }
        }
        #expect(
            story(("form", "ice-cream"), ("result", "ok"), ("share", "share")) == ["result", "share", "done (share)"])
        #expect(story(("form", "sea"), ("result", "cancel"), ("share", "keep")) == ["result", "share", "done (keep)"])
        #expect(
            story(("form", "sea"), ("result", "confirm"), ("edit", "next"), ("share", "share")) == [
                "result", "edit", "share", "done (share)",
            ])
    }

    @Test("together: all at once, and then nothing more")
    func together() {
        var wish = Wish(name: "w", sending: .together([.share, .edit, .result]))
        #expect(react(&wish, "form", "sea") == "share edit result")
        #expect(react(&wish, "result", "confirm") == "nothing")
        #expect(react(&wish, "edit", "", .unmet) == "nothing")
        #expect(react(&wish, "share", "keep") == "done (keep)")
    }

    @Test("ends with a form that nobody answers, and passes over what is not its own")
    func others() {
        var wish = Wish(name: "w", sending: .inAnswer)
        #expect(react(&wish, "advert", "", .timedOut) == "nothing")
        #expect(react(&wish, "form", "", .cleared) == "nothing was wished (CLEARED)")
    }

    @Test("only what is confirmed is edited; what is sent in answer holds the screen, the share holds nothing")
    func flow() {
        let wish = Wish(name: "w", sending: .inAnswer)
        let parts = Wish.Part.allCases.compactMap { wish.popup($0, of: .sea).flow }
        #expect(parts.map(\.stage) == [1, 2, 3])
        #expect(parts.map(\.holdMs) == [3000, 3000, 0])
        #expect(parts.map(\.requires) == [nil, PopupRequirement("w-result", action: "confirm"), nil])
        #expect(wish.form.flow == PopupFlow("w", hold: .seconds(3)))
        #expect(wish.popup(.result, of: .iceCream).actions.map(\.id) == ["ok"])
    }
}
