import PopupClient
import Testing

@testable import pages_walk

@Suite("Which way led to which popup")
struct AttributionTests {
    private func event(_ popup: String, _ path: String, _ what: PopupEvent.Kind) -> PopupEvent {
        var event = Samples.event(0, popup, revision: 1, what)
        event.path = path.split(separator: "/").map(String.init)
        return event
    }

    @Test("what the user did counts where they did it, any other end where it was last seen")
    func rows() {
        var attribution = Attribution()
        for event in [
            event("tip", "home/history", .shown(PopupEvent.Shown())),
            event("film", "home/history/video", .shown(PopupEvent.Shown())),
            event("film", "home/history/video", Samples.closed(.dismissed, action: "buy")),
            event("tip", "home", .paused),
            event("tip", "home/history/detail", .resumed),
            event("tip", "home", Samples.closed(.pageClosed)),
            event("never", "home", Samples.closed(.expired)),
        ] { attribution.add(event) }

        #expect(
            attribution.lines() == [
                "way                  popup  end",
                "home                 never  EXPIRED",
                "home/history/detail  tip    PAGE_CLOSED",
                "home/history/video   film   buy",
            ])
    }
}
