/// The decision when free memory is counted, and when it is returned to the system.
///
/// Both lock the pools of the allocator, and the broker serves nobody meanwhile. Returning a gibibyte takes 65 to 190 ms
/// (measured with glibc 2.36 and blocks of 200 to 4000 bytes, of which one in 20 to 1000 stays in use). So the process
/// has to rest, and much memory has to be free at two checks in a row: then it will probably not be used soon. A
/// process that has more than half of the memory that it may have does not wait until it rests, but does so rarely.
struct MemoryReturnPace {
    /// The time between two checks, in s.
    static let interval: UInt32 = 2

    /// The bytes that may stay free in the pools.
    static let kept = 32 << 20
    /// The processor time between two checks up to which the process rests, in µs: a quarter of a processor.
    static let rest = UInt64(interval) * 1_000_000 / 4
    /// The processor time in µs after which memory is counted at the next check. Less work may have freed much, too.
    static let work: UInt64 = 50_000
    /// The number of checks, a minute, after which a process at rest counts its memory without such work, and one that
    /// does not rest may return memory again.
    static let patience = 30

    /// The resident bytes above which the process does not wait until it rests.
    private let crowded: Int
    /// The smallest number of resident bytes that were not in use: code, stacks, and pages of which a part is in use.
    /// Most of what is more was freed.
    private var least: Int
    /// The processor time at the last check.
    private var lastWork: UInt64 = 0
    /// The processor time at the last count or return after which nothing was left to do.
    private var settledWork: UInt64 = 0
    /// The number of checks since then.
    private var checks = 0
    /// The number of checks since the last return.
    private var checksSinceReturn = patience
    /// Whether the last check found much.
    private var hadMuch = false

    /// Creates the pace of a process that has just started.
    ///
    /// - Parameters:
    ///   - limit: The limit of its memory in bytes.
    ///   - unused: Its resident bytes that are not in use.
    init(limit: Int, unused: Int) {
        crowded = limit / 2
        least = unused
    }

    /// Returns whether free memory is worth counting at this check.
    ///
    /// - Parameters:
    ///   - work: The processor time of the process until now, in µs.
    ///   - resident: Its resident bytes.
    mutating func isTimeToCount(work: UInt64, resident: Int) -> Bool {
        defer { lastWork = work }
        checks += 1
        checksSinceReturn += 1
        let isUrgent = resident > crowded && checksSinceReturn > Self.patience
        // The processor time of a process that was restored from an image may be less than before.
        guard work &- lastWork <= Self.rest || isUrgent else {
            hadMuch = false
            return false
        }
        return hadMuch || checks >= Self.patience || work &- settledWork >= Self.work
    }

    /// Returns whether free memory is returned now. It has just been counted.
    ///
    /// - Parameters:
    ///   - unused: The resident bytes that are not in use.
    ///   - free: The bytes that are free in the pools, including those that have been returned.
    ///   - work: The processor time of the process after the count, in µs.
    mutating func isTimeToReturn(unused: Int, free: Int, work: UInt64) -> Bool {
        least = min(least, unused)
        guard min(unused - least, free) > Self.kept else {
            settle(at: work)
            return false
        }
        defer { hadMuch = true }
        return hadMuch
    }

    /// Records that free memory was returned.
    ///
    /// - Parameters:
    ///   - unused: The resident bytes that are not in use after that.
    ///   - work: The processor time of the process after that, in µs.
    mutating func recordReturn(unused: Int, work: UInt64) {
        least = unused
        checksSinceReturn = 0
        settle(at: work)
    }

    /// Waits for further work before the next count.
    private mutating func settle(at work: UInt64) {
        (hadMuch, settledWork, checks) = (false, work, 0)
    }
}
