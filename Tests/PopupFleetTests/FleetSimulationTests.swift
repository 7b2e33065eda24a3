import Foundation
import PopupJournal
import SimulatedLogs
import Testing

@testable import PopupFleet

/// Nodes over a log whose calls are late, lost, repeated; processes that freeze and end; claims and clocks that lie.
///
/// `POPUP_SEEDS=1000 POPUP_FIRST_SEED=1` runs as many as you like.
@Suite struct FleetSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 40

    @Test(arguments: [2, 3], [TenureTimers.ofNode, .ofBroker])
    func `a fleet keeps its promises whatever happens`(nodes: Int, timers: TenureTimers) {
        var takeOvers = 0
        var compacted = 0
        var raised = 0
        var ends: [FleetEnd: Int] = [:]
        for seed in Self.first..<Self.first + Self.count {
            let world = FleetWorld(seed: seed, nodes: nodes, timers: timers)
            world.run()
            if let broken = world.broken() {
                Issue.record("seed \(seed): \(nodes) nodes, timers \(timers): \(broken)")
                return
            }
            takeOvers += world.appends.count { $0.purpose == .takeOver }
            raised += world.appends.count { $0.purpose == .raise }
            compacted += world.log.isCompacted ? 1 : 0
            ends.merge(world.ends, uniquingKeysWith: +)
        }
        // The runs bring about what they are to survive.
        guard Self.count >= 20 else { return }
        #expect(takeOvers > Int(Self.count) * 2)
        #expect(compacted > 0 && raised > 0)
        #expect(ends[.overtaken, default: 0] > 0 && ends[.handedOver, default: 0] > 0)
    }

    @Test func `a seed gives the same run every time`() {
        let runs = (0..<2).map { _ in
            let world = FleetWorld(seed: 7, nodes: 3, timers: .ofBroker)
            world.run()
            return world.log.history
        }

        #expect(runs[0] == runs[1])
    }
}
