import PopupScheduling

/// A histogram of the durations of turns since the start, with a resolution of an eighth.
///
/// No client is served during a turn. Adding a duration takes a few instructions and allocates no memory.
struct TurnTimes {
    /// The intended maximum of a turn in µs.
    static let longest: UInt64 = 20_000

    /// There are eight counts for each power of two. The first sixteen count single microseconds, the last one
    /// everything longer.
    private static let bits = 3
    private static let buckets = 30 << bits

    private var counts = [UInt64](repeating: 0, count: buckets)
    private(set) var count: UInt64 = 0
    private(set) var maximum: UInt64 = 0
    /// The number of turns longer than `longest`.
    private(set) var longCount: UInt64 = 0
    /// The durations in the buckets of the other histograms, in µs.
    private(set) var histogram = Histogram()

    init() {}

    /// Adds the duration of a turn in µs.
    mutating func record(_ time: UInt64) {
        counts[Self.index(of: time)] += 1
        count += 1
        if time > maximum { maximum = time }
        if time > Self.longest { longCount += 1 }
        histogram.record(Int64(clamping: time))
    }

    /// Returns the duration in µs that this number of a thousand turns did not exceed, rounded up by at most an eighth.
    func quantile(perMille: UInt64) -> UInt64 {
        let wanted = (count * perMille + 999) / 1000
        var seen: UInt64 = 0
        for index in counts.indices {
            seen += counts[index]
            if seen >= wanted, seen > 0 { return min(Self.end(of: index), maximum) }
        }
        return maximum
    }

    private static func index(of time: UInt64) -> Int {
        if time < 1 << (bits + 1) { return Int(time) }
        let exponent = UInt64.bitWidth - 1 - time.leadingZeroBitCount
        let index = (exponent - bits + 1) << bits | Int(time >> UInt64(exponent - bits)) & (1 << bits - 1)
        return min(index, buckets - 1)
    }

    /// Returns the longest duration of a count.
    private static func end(of index: Int) -> UInt64 {
        if index < 1 << (bits + 1) { return UInt64(index) }
        let exponent = index >> bits + bits - 1
        let step = UInt64(index & (1 << bits - 1) | 1 << bits)
        return (step + 1) << UInt64(exponent - bits) - 1
    }
}
