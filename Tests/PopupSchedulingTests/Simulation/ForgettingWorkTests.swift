@testable import PopupScheduling
import Testing

/// The work of forgetting showings that caps no longer count, in groups that a command visits.
@Suite struct ForgettingWorkTests {
    private static let groups = 500

    @Test func `a command visits only groups with showings to forget, and few of them`() {
        var scheduler = Scheduler()
        var output = EventBuffer()
        /// Returns the groups that the command visited.
        func apply(at time: Milliseconds, _ make: (inout TextBuilder) -> Command) -> Int {
            var text = TextBuilder()
            let command = make(&text)
            let bytes = text.bytes
            let before = scheduler.visits
            output.removeAll()
            #expect(scheduler.apply(command, text: bytes.span.bytes, at: time, into: &output) == nil)
            return scheduler.visits - before
        }
        func show(_ id: String, in group: String, at time: Milliseconds) {
            _ = apply(at: time) { .show(PopupRequest(id: $0.add(id), group: $0.add(group))) }
        }
        func advance(at time: Milliseconds) -> Int { apply(at: time) { .advance(group: $0.add("unknown")) } }
        var policy = Policy()
        policy.caps = [Cap(most: 5, window: 1000), Cap(most: 5, window: 100_000)]
        _ = apply(at: 0) { .setPolicy(pattern: $0.add("capped/*"), policy) }
        for number in 0..<Self.groups {
            show("\(number)", in: "capped/\(number)", at: 0)
            show("other \(number)", in: "free/\(number)", at: 0)
        }
        show("late", in: "capped/late", at: 1)
        #expect(scheduler.use(of: .cappedShowings)?.used == 2 * Self.groups + 2)
        #expect(advance(at: 999) == 0, "all showings are still in their windows")

        let most = Scheduler.maxGroupsForgettingPerCommand
        var commands = 0
        while scheduler.groups.caps.firstToForget(at: 1000) != nil {
            #expect(advance(at: 1000) <= most)
            commands += 1
            guard commands <= Self.groups else { break }
        }
        #expect(commands == (Self.groups + most - 1) / most)
        #expect(scheduler.use(of: .cappedShowings)?.used == Self.groups + 2, "those of the longer windows remain")
        #expect(advance(at: 1000) == 0)
        let broken = scheduler.brokenInvariants()
        #expect(broken == [])
    }
}
