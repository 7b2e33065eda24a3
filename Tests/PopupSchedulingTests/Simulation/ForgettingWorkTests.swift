@testable import PopupScheduling
import Testing

/// The work of forgetting showings that caps no longer count: how many a command forgets, and in how many groups.
@Suite struct ForgettingWorkTests {
    /// A scheduler in whose groups `capped/*` a policy has caps.
    private struct Capped: ~Copyable {
        var scheduler = Scheduler()
        private var output = EventBuffer()

        init(_ caps: [Cap]) {
            var policy = Policy()
            policy.caps = caps
            apply(at: 0) { .setPolicy(pattern: $0.add("capped/*"), policy) }
        }

        /// The showings that are remembered.
        var used: Int { scheduler.use(of: .cappedShowings)?.used ?? 0 }

        mutating func show(_ id: String, in group: String, for duration: UInt32 = 0, at time: Milliseconds) {
            apply(at: time) {
                var request = PopupRequest(id: $0.add(id), group: $0.add(group))
                request.duration = duration
                return .show(request)
            }
        }

        /// Applies a command that has no other effect. Returns what it forgot, and the visits that it counts for that.
        mutating func forget(at time: Milliseconds) -> (showings: Int, visits: Int) {
            let (used, visits) = (used, scheduler.visits)
            apply(at: time) { .advance(group: $0.add("unknown")) }
            return (used - self.used, scheduler.visits - visits)
        }

        private mutating func apply(at time: Milliseconds, _ make: (inout TextBuilder) -> Command) {
            var text = TextBuilder()
            let command = make(&text)
            let bytes = text.bytes
            output.removeAll()
            let refusal = scheduler.apply(command, text: bytes.span.bytes, at: time, into: &output)
            #expect(refusal == nil)
        }
    }

    @Test func `a command forgets only in groups with showings to forget, and in few of them`() {
        let groups = 500
        var capped = Capped([Cap(most: 5, window: 1000), Cap(most: 5, window: 100_000)])
        for number in 0..<groups {
            capped.show("\(number)", in: "capped/\(number)", at: 0)
            capped.show("other \(number)", in: "free/\(number)", at: 0)
        }
        capped.show("late", in: "capped/late", at: 1)
        #expect(capped.used == 2 * groups + 2)
        let early = capped.forget(at: 999)
        #expect(early == (0, 0), "all showings are still in their windows")

        let most = Scheduler.maxGroupsForgetting
        for number in 0..<(groups + most - 1) / most {
            let forgotten = capped.forget(at: 1000)
            let expected = min(most, groups - number * most)
            #expect(forgotten == (expected, expected))
        }
        #expect(capped.used == groups + 2, "those of the longer windows remain")
        let late = capped.forget(at: 1000)
        #expect(late == (0, 0))
        let broken = capped.scheduler.brokenInvariants()
        #expect(broken == [])
    }

    @Test func `a command forgets a bounded number of showings, also within one group, and counts what it forgets`() {
        let (groups, shown, caps) = (4, 150, 16)
        var capped = Capped((0..<caps).map { Cap(most: 10_000, window: 1000 + UInt32($0)) })
        for number in 0..<groups * shown {
            capped.show("\(number)", in: "capped/\(number % groups)", for: 1, at: Milliseconds(number))
        }
        var left = groups * shown * caps
        #expect(capped.used == left)
        #expect(shown * caps > 2 * Scheduler.maxShowingsForgotten)
        while left > 0 {
            let forgotten = capped.forget(at: 10_000)
            #expect(forgotten.showings == min(left, Scheduler.maxShowingsForgotten))
            #expect(forgotten.visits >= forgotten.showings / Scheduler.showingsPerVisit)
            #expect(forgotten.visits <= forgotten.showings / Scheduler.showingsPerVisit + Scheduler.maxGroupsForgetting)
            guard forgotten.showings > 0 else { break }
            left -= forgotten.showings
            let broken = capped.scheduler.brokenInvariants()
            #expect(broken == [])
        }
        #expect(capped.used == 0)
    }
}
