import PopupClient
import Testing

@testable import popupctl

@Suite("What popupctl makes of events")
struct ObservationTests {
    private func event(_ popup: String, _ event: PopupEvent.Kind) -> PopupEvent {
        var result = PopupEvent()
        result.popup = popup
        result.event = event
        return result
    }

    private func refused(_ popup: String) -> PopupEvent {
        var refused = PopupEvent.Refused()
        refused.reason = .stale
        return event(popup, .refused(refused))
    }

    @Test("a refusal is told to whom it is about")
    func refusals() {
        let closed = event("A", .closed(PopupClosed()))
        #expect([closed, refused("B"), refused("A")].refusal(of: "A")?.reason == .stale)
        #expect([refused("B"), closed].refusal(of: "A") == nil)
    }

    @Test("what a session ended is named in order")
    func endings() {
        var ended = PopupClosed()
        ended.reason = .sessionEnded
        let events = [event("B", .closed(ended)), event("C", .closed(PopupClosed())), event("A", .closed(ended))]
        #expect(events.ended(.sessionEnded) == ["B", "A"])
        #expect(Words.closing(events.ended(.sessionEnded)) == ", closed B, A")
        #expect(Words.closing([]) == "")
    }
}
