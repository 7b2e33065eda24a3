import PopupScheduling
import Testing

/// The history goes back from the popup that closed last, and visits a bounded number of closed popups.
@Suite struct HistoryTests {
    /// Returns a scheduler in which these popups have closed, one after another.
    private func scheduler(closed popups: [(id: String, group: String)]) -> Scheduler {
        var scheduler = Scheduler()
        var output = EventBuffer()
        var text = TextBuilder()
        for (time, popup) in popups.enumerated() {
            text.removeAll()
            scheduler.apply(
                .show(PopupRequest(id: text.add(popup.id), group: text.add(popup.group))),
                text: text.bytes.span.bytes, at: Milliseconds(time), into: &output)
            scheduler.apply(
                .advance(group: text.add(popup.group)), text: text.bytes.span.bytes, at: Milliseconds(time),
                into: &output)
        }
        return scheduler
    }

    private func history(
        _ pattern: String, limit: Int = 100, maxVisits: Int = Scheduler.maxHistoryVisits,
        of scheduler: borrowing Scheduler
    ) -> String {
        let bytes = Array(pattern.utf8)
        let found = scheduler.history(of: bytes.span.bytes, limit: limit, maxVisits: maxVisits)
        return found.popups.map(\.id).joined(separator: " ") + (found.isComplete ? "" : " …")
    }

    private let busy: [(id: String, group: String)] = [
        ("a1", "a"), ("b1", "b"), ("b2", "b"), ("a2", "a"), ("b3", "b"),
    ]

    @Test func `the popup that closed last comes first`() {
        let scheduler = scheduler(closed: busy)
        #expect(history("*", of: scheduler) == "b3 a2 b2 b1 a1")
        #expect(history("a", of: scheduler) == "a2 a1")
        #expect(history("none", of: scheduler) == "")
    }

    @Test func `what is beyond the limit is told to be missing`() {
        let scheduler = scheduler(closed: busy)
        #expect(history("*", limit: 2, of: scheduler) == "b3 a2 …")
        #expect(history("a", limit: 1, of: scheduler) == "a2 …")
        #expect(history("a", limit: 2, of: scheduler) == "a2 a1")
    }

    @Test func `popups of other groups count as visited, and what is not visited is told to be missing`() {
        let scheduler = scheduler(closed: busy)
        #expect(history("a", maxVisits: 1, of: scheduler) == " …")
        #expect(history("a", maxVisits: 2, of: scheduler) == "a2 …")
        #expect(history("a", maxVisits: 4, of: scheduler) == "a2 …")
        #expect(history("a", maxVisits: 5, of: scheduler) == "a2 a1")
        #expect(history("*", maxVisits: 3, of: scheduler) == "b3 a2 b2 …")
    }

    @Test func `a query visits 100000 closed popups`() {
        #expect(Scheduler.maxHistoryVisits == 100_000)
    }
}
