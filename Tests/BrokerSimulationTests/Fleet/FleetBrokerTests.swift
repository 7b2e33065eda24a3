import Foundation
import SimulatedLogs
import Testing

/// Nodes of a fleet with the real broker over a simulated log, and clients that follow them. Each seed is printed before it
/// runs, so that one that ends the process is known too.
///
/// `POPUP_SEEDS=1000 POPUP_FIRST_SEED=1 swift test --filter FleetBrokerTests` runs as many as you like.
@Suite struct FleetBrokerTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 5

    @Test(arguments: [2, 3])
    func `a fleet of brokers keeps its promises whatever happens`(nodes: Int) throws {
        var marks: [String: Int] = [:]
        for seed in Self.first..<Self.first + Self.count {
            print("simulating a fleet of \(nodes) nodes, seed \(seed)")
            let fleet = try SimulatedFleet(seed: seed, nodes: nodes)
            fleet.run()
            if let failure = fleet.failure {
                let story = fleet.story.suffix(60).joined(separator: "\n    ")
                Issue.record("seed \(seed): \(nodes) nodes: \(failure)\n    \(story)")
                return
            }
            marks.merge(fleet.marks, uniquingKeysWith: +)
            marks["acknowledged", default: 0] += fleet.acknowledgements.count
            marks["heard", default: 0] += fleet.heard.count
        }
        print(marks.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", "))
        // The runs bring about what they are to survive.
        let count = Int(Self.count)
        #expect(marks["take-over"] ?? 0 >= count * 2)
        #expect(marks["acknowledged"] ?? 0 >= count * 20)
        // The others are rare: few runs need not have them.
        let few = ["end overtaken", "end handedOver"]
        let wanted = count >= 40 ? few + ["an old epoch is dropped", "a later horizon"] : count >= 5 ? few : []
        for mark in wanted { #expect(marks[mark] ?? 0 > 0, "\(mark)") }
    }

    @Test func `a seed gives the same run every time`() throws {
        let runs = try (0..<2).map { _ in
            let fleet = try SimulatedFleet(seed: 3, nodes: 3)
            fleet.run()
            return (fleet.log.history, fleet.story)
        }

        #expect(runs[0].0 == runs[1].0)
        #expect(runs[0].1 == runs[1].1)
    }
}
