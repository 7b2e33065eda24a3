import Foundation
import Testing

/// Users with drawn rights, many seeds. `POPUP_SEEDS` sets how many.
@Suite struct RightsSimulationTests {
    private static let count = ProcessInfo.processInfo.environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 80

    @Test func `nobody does or reads what its rights do not allow`() {
        var marks: [String: Int] = [:]
        for seed in 1...Self.count {
            let world = RightsWorld(seed: seed)
            if let failure = world.run() {
                Issue.record("seed \(seed): \(failure)")
                return
            }
            marks.merge(world.marks, uniquingKeysWith: +)
        }
        // The runs would show nothing if nobody were allowed anything.
        let channels = ["state", "state+json", "state+frame", "events", "events+json", "acks", "replies", "sync"]
        let closings = ["dismissed", "cleared", "advanced", "replaced", "superseded"]
        let others = ["updated", "rules changed", "refused permissionDenied"]
        for mark in channels.map({ "read \($0)" }) + closings.map({ "closed \($0)" }) + others {
            #expect(marks[mark] ?? 0 >= 1, "\(mark) in \(marks)")
        }
    }
}
