@testable import PopupScheduling
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
                .show(Self.request(popup.id, in: popup.group, &text)),
                text: text.bytes.span.bytes, at: Milliseconds(time), into: &output)
            scheduler.apply(
                .advance(group: text.add(popup.group)), text: text.bytes.span.bytes, at: Milliseconds(time),
                into: &output)
        }
        return scheduler
    }

    /// A request whose content is the id of the popup.
    private static func request(_ id: String, in group: String, _ text: inout TextBuilder) -> PopupRequest {
        var request = PopupRequest(id: text.add(id), group: text.add(group))
        request.content = text.add(id)
        return request
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

    /// The contents that are known of the popups of a group, the latest first.
    private func contents(_ group: String, of scheduler: borrowing Scheduler) -> [String] {
        let bytes = Array(group.utf8)
        return scheduler.history(of: bytes.span.bytes, limit: 100_000).popups.map {
            String(decoding: $0.content, as: UTF8.self)
        }
    }

    private func popups(_ numbers: ClosedRange<Int>, in group: String) -> [(id: String, group: String)] {
        numbers.map { ("\(group)-\($0)", group) }
    }

    @Test func `a group keeps its last 4 contents, however many popups of others close`() {
        let quiet = popups(1...6, in: "quiet")
        for busy in [994, 995, 998, 999, 1000, 5000] {
            let scheduler = scheduler(closed: quiet + popups(1...busy, in: "busy"))
            // Those among the last 1000 popups, and 4 before them.
            let kept = min(6, max(0, 1000 - busy) + 4)
            let known = quiet.map(\.id).reversed().enumerated().map { $0.offset < kept ? $0.element : "" }
            #expect(contents("quiet", of: scheduler) == known)
        }
    }

    @Test func `the last 1000 contents are kept, and 4 before them of each group, and no others`() {
        let busy = popups(1...3000, in: "busy")
        let scheduler = scheduler(closed: popups(1...5, in: "first") + busy + popups(1...5, in: "last"))
        let known = busy.suffix(995 + 4).map(\.id).reversed()
        #expect(contents("busy", of: scheduler) == Array(known) + Array(repeating: "", count: 3000 - known.count))
        #expect(contents("first", of: scheduler) == ["first-5", "first-4", "first-3", "first-2", ""])
        #expect(contents("last", of: scheduler) == ["last-5", "last-4", "last-3", "last-2", "last-1"])
    }

    @Test func `of more than 256 groups, those whose numbers are 256 apart share the places for 4 contents`() throws {
        let groups = (0...256).flatMap { popups(1...1, in: "g\($0)") }
        let crowd = popups(1...1000, in: "crowd")
        let alone = scheduler(closed: groups + crowd)
        var firstOfPlace: [Int: String] = [:]
        var pair: (String, String)?
        for name in groups.map(\.group) {
            let number = try #require(Array(name.utf8).withUnsafeBytes { alone.findGroup($0) }).number
            if let other = firstOfPlace.updateValue(name, forKey: number % 256) { pair = (other, name) }
        }
        let (one, other) = try #require(pair)
        #expect(contents(one, of: alone) == ["\(one)-1"] && contents(other, of: alone) == ["\(other)-1"])
        let shared = scheduler(closed: groups + popups(2...4, in: other) + crowd)
        #expect(contents(one, of: shared) == [""])
        #expect(contents(other, of: shared) == (1...4).reversed().map { "\(other)-\($0)" })
    }

    @Test func `a query visits 100000 closed popups`() {
        #expect(Scheduler.maxHistoryVisits == 100_000)
    }
}
