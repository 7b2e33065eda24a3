import PopupScheduling
import Testing

/// Random commands, told to the scheduler and to the reference: after every one of them and after every timer both
/// must have said and must answer the same.
///
/// Each lane keeps to some chapters of the rules; every third seed runs in tight limits. See `Seeds` for running more.
@Suite struct DifferentialTests {
    @Test(arguments: 0..<Seeds.lanes)
    func `the scheduler does what the reference does`(lane: UInt64) {
        compare(lane, Self.anyScript) { Comparison(setting: Self.setting(of: $0)) }
    }

    @Test(arguments: 0..<Seeds.lanes)
    func `so it does while its texts are moved`(lane: UInt64) {
        compare(lane, Self.anyScript) { seed in
            Comparison(setting: Self.setting(of: seed), movesTextsEvery: seed % 2 == 0 ? 1 : 7)
        }
    }

    @Test(arguments: 0..<Seeds.lanes)
    func `so it does while the wall clock is set forward and back`(lane: UInt64) {
        compare(lane) { seed in
            withClockSettings(
                RandomScript.of(seed: seed, count: 60, chapters: [.quiet, .caps, .aging]), seed: seed)
        } comparison: {
            Comparison(setting: Setting(seed: $0))
        }
    }

    @Test func `some of the scripts meet the shares of users`() {
        var tables: Set<Limits.Name> = []
        for seed in 1...160 as ClosedRange<UInt64> where RandomScript.limits(of: seed).usersHaveShares {
            let reference = ReferenceScheduler(limits: RandomScript.limits(of: seed), seed: seed)
            for told in Self.anyScript(of: seed) {
                if case .userShare(let table)? = reference.perform(told).refusal?.cause { tables.insert(table) }
            }
        }
        #expect(tables.contains(.popups), "\(tables)")
    }

    private static func setting(of seed: UInt64) -> Setting {
        Setting(limits: RandomScript.limits(of: seed), seed: seed)
    }

    private static func anyScript(of seed: UInt64) -> [Told] {
        RandomScript.of(seed: seed, count: RandomScript.length(of: seed), chapters: RandomScript.chapters(of: seed))
    }

    /// Records the first seed of a lane at which scheduler and reference differ, with the shortest script.
    private func compare(
        _ lane: UInt64, _ script: (UInt64) -> [Told], comparison: (UInt64) -> Comparison
    ) {
        for seed in Seeds.of(lane: lane) {
            let (comparison, script) = (comparison(seed), script(seed))
            guard comparison.difference(in: script) != nil else { continue }

            let shortest = shrunk(script) { comparison.difference(in: $0) != nil }
            Issue.record(
                """
                seed \(seed): \(comparison.difference(in: shortest)!)
                \(Timeline.code(of: shortest, setting: comparison.setting))
                """)
            return
        }
    }

    /// The script, and after one in eight of its instructions the wall clock is set: by little, by minutes, by days.
    private func withClockSettings(_ script: [Told], seed: UInt64) -> [Told] {
        var random = ReferenceGenerator(seed: seed)
        return script.flatMap { told -> [Told] in
            guard random.below(8) == 0 else { return [told] }
            let unit: Milliseconds = [10, 60_000, 86_400_000][random.below(3)]
            let lead = unit * Milliseconds(random.below(9))
            return [told, Told(at: told.at, sender: nil, instruction: .setWallClock(ahead: lead))]
        }
    }
}
