import Testing

@testable import BrokerService

@Suite("The pace at which freed memory is returned")
struct MemoryReturnPaceTests {
    /// A process that is checked: 36 MiB resident, of which 20 MiB are in use, when it starts.
    private final class Checked {
        private static let mebibyte = 1 << 20

        var pace = MemoryReturnPace(limit: 1024 * mebibyte, unused: 16 * mebibyte)
        /// How often free memory was counted.
        private(set) var counts = 0
        private var work: UInt64 = 0

        /// Checks once, after some work in µs. Returns whether memory is returned.
        func check(after work: UInt64, resident: Int, used: Int, free: Int) -> Bool {
            self.work += work
            guard pace.isTimeToCount(work: self.work, resident: resident * Self.mebibyte) else { return false }
            counts += 1
            return pace.isTimeToReturn(
                unused: (resident - used) * Self.mebibyte, free: free * Self.mebibyte, work: self.work)
        }

        /// Records that memory was returned, which took some work.
        func recordReturn(resident: Int, used: Int) {
            work += MemoryReturnPace.work
            pace.recordReturn(unused: (resident - used) * Self.mebibyte, work: work)
        }
    }

    private let rest = MemoryReturnPace.rest
    private let busy = MemoryReturnPace.rest + 1

    @Test("after a flood: at the second check at which the process rests")
    func flood() {
        let checked = Checked()
        for _ in 0..<10 { #expect(!checked.check(after: busy, resident: 400, used: 150, free: 230)) }
        // The locks of the pools were not taken during the flood.
        #expect(checked.counts == 0)
        #expect(!checked.check(after: rest, resident: 400, used: 50, free: 330))
        #expect(checked.check(after: 0, resident: 400, used: 50, free: 330))
    }

    @Test("once: what was returned still counts as free for the allocator, and some pages cannot be returned")
    func once() {
        let checked = Checked()
        for _ in 0..<2 { _ = checked.check(after: rest, resident: 400, used: 50, free: 330) }
        checked.recordReturn(resident: 120, used: 50)
        for _ in 0..<10 { #expect(!checked.check(after: rest, resident: 120, used: 50, free: 330)) }
        // It was used again, and is free again.
        #expect(!checked.check(after: rest, resident: 400, used: 380, free: 0))
        #expect(!checked.check(after: rest, resident: 400, used: 50, free: 330))
        #expect(checked.check(after: rest, resident: 400, used: 50, free: 330))
    }

    @Test("in comparison with the least that was unused: pages of which a part was in use may be used as a whole")
    func least() {
        let checked = Checked()
        #expect(!checked.check(after: rest, resident: 100, used: 100, free: 1))
        #expect(!checked.check(after: rest, resident: 100, used: 60, free: 41))
        #expect(checked.check(after: rest, resident: 100, used: 60, free: 41))
    }

    @Test("not while it may be used again: after work between two checks, both are repeated")
    func interrupted() {
        let checked = Checked()
        for _ in 0..<10 {
            #expect(!checked.check(after: rest, resident: 400, used: 50, free: 330))
            #expect(!checked.check(after: busy, resident: 400, used: 300, free: 80))
        }
    }

    @Test("not when little is free, however much is resident or counts as free")
    func little() {
        let checked = Checked()
        for _ in 0..<10 {
            #expect(!checked.check(after: rest, resident: 448, used: 400, free: 32))
            #expect(!checked.check(after: rest, resident: 900, used: 400, free: 32))
            #expect(!checked.check(after: rest, resident: 448, used: 400, free: 500))
        }
    }

    @Test("a process that does nothing is counted once a minute")
    func idle() {
        let checked = Checked()
        #expect(!checked.check(after: rest, resident: 36, used: 20, free: 1))
        for _ in 1..<MemoryReturnPace.patience { _ = checked.check(after: 0, resident: 36, used: 20, free: 1) }
        #expect(checked.counts == 1)
        _ = checked.check(after: 0, resident: 36, used: 20, free: 1)
        #expect(checked.counts == 2)
        // Work, too, is a reason to count; that of returning memory is not.
        checked.recordReturn(resident: 36, used: 20)
        _ = checked.check(after: MemoryReturnPace.work - 1, resident: 36, used: 20, free: 1)
        #expect(checked.counts == 2)
        _ = checked.check(after: 1, resident: 36, used: 20, free: 1)
        #expect(checked.counts == 3)
    }

    @Test("without rest when the process has more than half of what it may have, but at most once a minute")
    func crowded() {
        let checked = Checked()
        #expect(!checked.check(after: busy, resident: 513, used: 200, free: 300))
        #expect(checked.check(after: busy, resident: 513, used: 200, free: 300))
        checked.recordReturn(resident: 220, used: 200)
        for _ in 0..<MemoryReturnPace.patience {
            #expect(!checked.check(after: busy, resident: 513, used: 200, free: 300))
        }
        #expect(!checked.check(after: busy, resident: 513, used: 200, free: 300))
        #expect(checked.check(after: busy, resident: 513, used: 200, free: 300))
    }

    @Test("a processor time that is less than before is no reason to fail")
    func backwards() {
        var pace = MemoryReturnPace(limit: 1 << 30, unused: 0)
        let first = pace.isTimeToCount(work: 100_000, resident: 1)
        let second = pace.isTimeToCount(work: 0, resident: 1)
        #expect(first && !second)
    }
}
