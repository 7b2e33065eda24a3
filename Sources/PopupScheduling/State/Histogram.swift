/// A histogram of durations: twelve buckets, each four times as wide as the one before.
///
/// Adding a duration takes a few instructions and allocates no memory. No decision depends on a histogram.
public struct Histogram: Sendable {
    /// The number of buckets.
    public static var bucketCount: Int { 12 }

    /// Returns the longest duration of a bucket, in the unit of the durations; `nil` for the last bucket.
    public static func bound(ofBucket bucket: Int) -> Int64? {
        bucket < bucketCount - 1 ? 1 << Int64(2 * bucket) : nil
    }

    private var counts = InlineArray<12, UInt64>(repeating: 0)
    /// The sum of all durations; the greatest number if it exceeds that.
    public private(set) var sum: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Adds a duration; a negative one counts as 0.
    @inline(__always)
    public mutating func record(_ duration: Int64) {
        guard duration > 1 else {
            counts[0] += 1
            if duration == 1 { add(1) }
            return
        }
        let bits = Int64.bitWidth - (duration - 1).leadingZeroBitCount
        counts[min((bits + 1) / 2, Self.bucketCount - 1)] += 1
        add(UInt64(duration))
    }

    @inline(__always)
    private mutating func add(_ duration: UInt64) {
        let (next, isTooMuch) = sum.addingReportingOverflow(duration)
        sum = isTooMuch ? .max : next
    }

    /// Returns the number of durations in a bucket.
    public subscript(bucket: Int) -> UInt64 { counts[bucket] }

    /// The number of durations.
    public var count: UInt64 { counts.indices.reduce(0) { $0 + counts[$1] } }

    /// Returns what was added to a histogram since an earlier copy of it.
    public func since(_ earlier: Histogram) -> Histogram {
        var difference = self
        for bucket in counts.indices { difference.counts[bucket] -= earlier.counts[bucket] }
        difference.sum -= earlier.sum
        return difference
    }
}
