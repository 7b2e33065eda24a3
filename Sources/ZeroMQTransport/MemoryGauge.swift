import SystemCalls

/// The memory use of the process in relation to its limit.
///
/// The tables have limits of their own. The memory that libzmq uses for connections has no limit in bytes and cannot be
/// queried, so the whole process is measured.
struct MemoryGauge: ~Copyable {
    /// The state of the memory.
    enum State {
        /// More than a quarter is free.
        case ample
        /// Less than a quarter is free.
        case short
        /// The limit is exceeded.
        case exhausted
    }

    /// The limit in bytes.
    let limit: Int
    private let resident = ResidentMemory()

    /// Creates a gauge with a limit in bytes.
    init(limit: Int) { self.limit = limit }

    /// Returns the state of the memory. Freed memory that the allocator keeps counts as used only while the limit is
    /// not exceeded.
    func look() -> State { state(of: residentBytes) }

    /// The resident memory of the process in bytes; 0 if the system does not report it.
    var residentBytes: Int { resident.bytes }

    /// Returns the state of the memory for a number of resident bytes.
    func state(of resident: Int) -> State {
        if resident <= limit / 4 * 3 { return .ample }
        // Counting the allocator's free memory takes longer, so it is done only beyond the limit.
        if resident <= limit { return .short }
        let used = Allocator.count().used
        return used > limit ? .exhausted : used > limit / 4 * 3 ? .short : .ample
    }

    /// The memory in use in bytes, as `look` counts it.
    var usedBytes: Int {
        let resident = residentBytes
        return resident <= limit ? resident : Allocator.count().used
    }
}

/// The growth of the memory since the connections were checked because of it.
///
/// Nothing wakes the loop while a message without an end arrives, but the memory grows.
struct MemoryGrowth {
    /// The growth in bytes for which the connections are checked.
    static let noticedBytes = 8 << 20

    private var least = Int.max

    /// Records the resident memory. Returns whether it has grown by more than `noticedBytes` since the last time that
    /// it had, or since it was smaller.
    mutating func record(_ resident: Int) -> Bool {
        let hasGrown = resident - min(least, resident) > Self.noticedBytes
        least = hasGrown ? resident : min(least, resident)
        return hasGrown
    }
}
