@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

@Suite("The lengths of turns")
struct TurnTimesTests {
    @Test(
        "are told as they were, exact within an eighth",
        arguments: [3, 15, 16, 17, 100, 999, 20_000, 1_234_567] as [UInt64])
    func exactness(_ time: UInt64) {
        var times = TurnTimes()
        for _ in 0..<99 { times.record(time) }
        times.record(4 * time)
        let half = times.quantile(perMille: 500)
        #expect(half >= time && (half - time) * 8 <= time)
        #expect(times.quantile(perMille: 990) == half)
        #expect(times.quantile(perMille: 1000) == 4 * time && times.maximum == 4 * time && times.count == 100)
    }

    @Test("are counted beyond 20 ms")
    func long() {
        var times = TurnTimes()
        for time: UInt64 in [0, 20_000, 20_001, 1 << 40] { times.record(time) }
        #expect(times.longCount == 2)
        #expect(times.maximum == 1 << 40)
        let told = WireTurnTimes(times)
        #expect(told.count == 4 && told.long == 2 && told.longestUs == 1 << 40)
    }

    @Test("are told in the buckets of a histogram, with their sum")
    func buckets() {
        var times = TurnTimes()
        for time: UInt64 in [1, 16, 17, 64, 20_001, 2_000_000] { times.record(time) }
        let told = WireTurnTimes(times)
        let filled = told.buckets.filter { $0.count > 0 }.map { [$0.hasUpToUs ? $0.upToUs : .max, $0.count] }
        #expect(filled == [[1, 1], [16, 1], [64, 2], [65_536, 1], [.max, 1]])
        #expect(told.buckets.map(\.hasUpToUs) == WireHistogram(Histogram(), microseconds: 1).buckets.map(\.hasUpToUs))
        #expect(told.sumUs == 2_020_099)
    }

    @Test("are nothing before the first")
    func none() {
        #expect(TurnTimes().quantile(perMille: 990) == 0)
    }
}
