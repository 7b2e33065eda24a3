import PopupClient
import Testing

@testable import event_summary

@Suite("What was shown when and why")
struct TimelineTests {
    @Test("interruption, return, end and what never came on screen")
    func table() {
        var timeline = Timeline()
        let events = [
            Samples.event(1000, "A", revision: 1, .shown(PopupEvent.Shown())),
            Samples.event(2500, "A", revision: 2, .paused),
            Samples.event(2500, "B", revision: 2, .shown(PopupEvent.Shown())),
            Samples.event(3000, "C", revision: 3, .queued),
            Samples.event(4000, "B", revision: 4, Samples.closed(.dismissed, action: "ok")),
            Samples.event(4000, "A", revision: 4, .resumed),
            Samples.event(5000, "C", revision: 5, Samples.closed(.expired)),
            Samples.event(6000, "A", revision: 6, Samples.closed(.timedOut)),
            Samples.event(6500, "N", revision: 1, in: "hall", .shown(PopupEvent.Shown())),
        ]
        events.forEach { timeline.add($0) }
        #expect(
            TimelineTable(timeline: timeline).lines() == [
                "hall",
                "   5.5 s –   N  the screen was free  still on screen",
                "",
                "lobby",
                "   0.0 s –  1.5 s  A  the screen was free  gave way",
                "   1.5 s –  3.0 s  B  interrupted A        DISMISSED \"ok\"",
                "   3.0 s –  5.0 s  A  after B              TIMED_OUT",
                "   4.0 s           C  never shown          EXPIRED",
            ])
    }

    @Test("nothing")
    func nothing() {
        #expect(TimelineTable(timeline: Timeline()).lines() == ["Nothing happened."])
    }

    @Test("an exclusive popup, a replaced one, a refused one")
    func others() {
        var timeline = Timeline()
        var refused = PopupEvent.Refused()
        refused.reason = .overload
        refused.detail = "the line is full"
        let events = [
            Samples.event(0, "A", revision: 1, .shown(PopupEvent.Shown())),
            Samples.event(100, "A", revision: 2, Samples.closed(.superseded)),
            Samples.event(100, "X", revision: 2, .shown(PopupEvent.Shown())),
            Samples.event(200, "X", revision: 3, Samples.closed(.replaced)),
            Samples.event(200, "Y", revision: 3, .shown(PopupEvent.Shown())),
            Samples.event(300, "Z", revision: 0, .refused(refused)),
        ]
        events.forEach { timeline.add($0) }
        let group = timeline.groups["lobby"]
        #expect(group?.appearances.map(\.came) == ["the screen was free", "cleared A", "replaced X"])
        #expect(group?.appearances.map(\.left) == ["SUPERSEDED", "REPLACED", ""])
        #expect(group?.absences.map(\.why) == ["refused OVERLOAD: the line is full"])
    }
}
