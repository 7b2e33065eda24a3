@testable import PopupScheduling
import Testing

/// The counted showings of caps.
@Suite struct CapCountsTests {
    private let group = GroupRecord.Index(number: 4)
    private let other = GroupRecord.Index(number: 5)

    @Test func `a cap is full at its number of showings, and then remembers the latest ones`() {
        var counts = CapCounts()
        counts.setCaps([Cap(most: 2, window: 100)], of: group)
        let isFull = (1...4).map { counts.count(0, of: group, at: $0 * 10) }
        #expect(isFull == [false, true, true, true])
        #expect(counts[group][0].times == [30, 40] && counts[group][0].release == 130)
        #expect(counts.showings == 2)
        #expect(counts.brokenInvariants == [])
    }

    @Test func `a cap continues with the showings of the one with its key, and of two with that of its window`() {
        var counts = CapCounts()
        let ads = Array("ads".utf8)
        counts.setCaps([Cap(key: ads, most: 9, window: 50), Cap(key: ads, most: 9, window: 70)], of: group)
        for time in 1...3 as ClosedRange<Milliseconds> { _ = counts.count(0, of: group, at: time) }
        _ = counts.count(1, of: group, at: 8)
        counts.setCaps(
            [Cap(key: ads, most: 5, window: 70), Cap(key: ads, most: 2, window: 10), Cap(most: 5, window: 50)],
            of: group)
        #expect(counts[group].map(\.times) == [[8], [2, 3], []])
        #expect(counts.showings == 3)
        #expect(counts.brokenInvariants == [])
    }

    @Test func `showings that have left the window are removed, those of other groups are not`() {
        var counts = CapCounts()
        for group in [group, other] {
            counts.setCaps([Cap(most: 5, window: 100)], of: group)
            for time in [0, 50, 51] as [Milliseconds] { _ = counts.count(0, of: group, at: time) }
        }
        counts.forgetShowings(of: group, at: 150)
        #expect(counts[group][0].times == [51] && counts[other][0].times == [0, 50, 51])
        #expect(counts.showings == 4)
        counts.setCaps([], of: other)
        #expect(!counts.has(other) && counts.has(group) && counts.showings == 1)
        #expect(counts.brokenInvariants == [])
    }

    @Test func `the number of showings is that of a plain model`() {
        var random = ReferenceGenerator(seed: 5)
        var counts = CapCounts()
        var model: [GroupRecord.Index: (cap: Cap, times: [Milliseconds])] = [:]
        for time in 1...3000 as ClosedRange<Milliseconds> {
            let group = GroupRecord.Index(number: random.below(8))
            switch random.below(10) {
            case 0:
                let cap = Cap(most: UInt32(1 + random.below(6)), window: UInt32(1 + random.below(300)))
                counts.setCaps([cap], of: group)
                model[group] = (cap, model[group]?.times.suffix(Int(cap.most)) ?? [])
            case 1:
                counts.setCaps([], of: group)
                model[group] = nil
            case 2:
                counts.forgetShowings(of: group, at: time)
                if let (cap, _) = model[group] { model[group]?.times.removeAll { $0 + Int64(cap.window) <= time } }
            default:
                guard let (cap, times) = model[group] else { continue }
                model[group]?.times = (times + [time]).suffix(Int(cap.most))
                #expect(counts.count(0, of: group, at: time) == (times.count + 1 >= cap.most))
            }
            #expect(counts[group].map(\.times) == (model[group].map { [$0.times] } ?? []))
            #expect(counts.showings == model.values.reduce(0) { $0 + $1.times.count })
        }
        #expect(counts.brokenInvariants == [])
    }
}
