import PopupScheduling
import Testing

@Suite("Histogram")
struct HistogramTests {
    @Test(
        "counts a duration in the first bucket that it fits",
        arguments: [-5, 0, 1, 2, 4, 5, 16, 17, 1 << 20, 1 << 20 + 1, .max])
    func buckets(_ duration: Int64) {
        var histogram = Histogram()
        histogram.record(duration)
        let fitting = (0..<Histogram.bucketCount).first { Histogram.bound(ofBucket: $0).map { duration <= $0 } ?? true }
        #expect((0..<Histogram.bucketCount).filter { histogram[$0] > 0 } == [fitting])
        #expect(histogram.count == 1)
        #expect(histogram.sum == UInt64(max(0, duration)))
    }

    @Test("has the greatest number as its sum where the sum is greater")
    func sum() {
        var histogram = Histogram()
        for duration: Int64 in [.max, .max, 1, 1, .max, 1] { histogram.record(duration) }
        #expect(histogram.sum == .max)
        #expect(histogram.count == 6)
    }

    @Test("tells what was added since an earlier copy")
    func since() {
        var histogram = Histogram()
        histogram.record(3)
        let earlier = histogram
        histogram.record(100)
        let added = histogram.since(earlier)
        #expect(added.count == 1 && added.sum == 100 && added[1] == 0)
    }
}
