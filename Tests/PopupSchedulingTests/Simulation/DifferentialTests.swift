import Foundation
import PopupScheduling
import Testing

/// Random commands, told to the scheduler and to the reference: after every one of them and after every timer both
/// must have said and must answer the same.
///
/// Each lane keeps to some chapters of the rules; every third seed runs in tight limits. `POPUP_SEEDS=50000` runs so many seeds, `POPUP_FIRST_SEED=7` begins there.
@Suite struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 160
    private static let lanes: UInt64 = 8

    @Test(arguments: 0..<lanes)
    func `the scheduler does what the reference does`(lane: UInt64) {
        for seed in stride(from: Self.first + lane, to: Self.first + Self.count, by: Int(Self.lanes)) {
            let comparison = Comparison(setting: Setting(limits: seed % 3 == 0 ? .tight : Limits(), seed: seed))
            let script = RandomScript.of(seed: seed, count: 60, chapters: RandomScript.chapters(of: seed))
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
}
