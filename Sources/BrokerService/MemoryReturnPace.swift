/// The decision when freed memory is counted, and when it is returned to the system.
///
/// Both lock the pools of the allocator, and the broker serves nobody meanwhile. Returning a gibibyte takes 65 to 190 ms
/// (measured with glibc 2.36 and blocks of 200 to 4000 bytes, of which one in 20 to 1000 stays in use). So the process
/// has to rest, and much memory has to be free at two checks in a row: then it will probably not be used soon. A
/// process that needs half of the memory that it may have does not wait until it rests.
struct MemoryReturnPace {
    /// The time between two checks, in s.
    static let interval: UInt32 = 2

    /// The bytes that may stay free in the pools.
    static let kept = 32 << 20
    /// The processor time between two checks up to which the process rests, in µs: a quarter of a processor.
    static let rest = UInt64(interval) * 1_000_000 / 4
    /// The processor time in µs without which too little can have been freed since the last count.
    static let leastWork: UInt64 = 50_000

    /// The resident bytes from which the process does not wait until it rests.
    private let crowded: Int
    /// The least of the resident bytes that are not in use: those of code and stacks, and of pages that are in use in
    /// part. What is more was freed.
    private var least: Int
    /// The processor time at the last check.
    private var lastWork: UInt64 = 0
    /// The processor time at the last count that found little.
    private var countedWork: UInt64 = 0
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
        guard work - lastWork <= Self.rest || resident > crowded else {
            hadMuch = false
            return false
        }
        return hadMuch || work - countedWork >= Self.leastWork
    }

    /// Returns whether free memory is returned now. It has just been counted.
    ///
    /// - Parameters:
    ///   - unused: The resident bytes that are not in use.
    ///   - free: The bytes that are free in the pools, including those that have been returned.
    mutating func isTimeToReturn(unused: Int, free: Int) -> Bool {
        least = min(least, unused)
        guard min(unused - least, free) > Self.kept else {
            settle()
            return false
        }
        defer { hadMuch = true }
        return hadMuch
    }

    /// Records that free memory was returned, and the resident bytes that are not in use after that.
    mutating func recordReturn(unused: Int) {
        least = unused
        settle()
    }

    /// Waits for further work before the next count.
    private mutating func settle() {
        hadMuch = false
        countedWork = lastWork
    }
}
