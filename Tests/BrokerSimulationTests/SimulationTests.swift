import Foundation
import PopupProtocol
import Testing

/// Scripts of many seeds. Each seed is printed before it runs, so that one that ends the process is known too.
///
/// `make simulate SEEDS=1000 FIRST=1` runs as many as you like.
@Suite struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 30
    /// Whether a lane ends with its first failure, which isn't shrunk.
    private static let isQuick = environment["POPUP_QUICK"] == "1"
    private static let lanes: UInt64 = 2

    @Test(arguments: 0..<lanes)
    func `the broker keeps its promises whatever happens`(lane: UInt64) {
        var marks: [String: Int] = [:]
        for seed in stride(from: Self.first + lane, to: Self.first + Self.count, by: Int(Self.lanes)) {
            Report.begin(seed)
            let script = Workload.script(of: seed)
            let world = World(script)
            if let failure = world.run() {
                Issue.record("\(Self.isQuick ? "seed \(seed): \(failure)" : Report.of(failure, in: script))")
                if Self.isQuick { return }
            }
            marks.merge(world.audit.marks, uniquingKeysWith: +)
        }
        Report.end(marks)
    }

    @Test func `the scripts bring about whatever can happen to a popup`() {
        var marks: [String: Int] = [:]
        for seed in 1...24 as ClosedRange<UInt64> {
            let world = World(Workload.script(of: seed))
            #expect(world.run() == nil)
            marks.merge(world.audit.marks, uniquingKeysWith: +)
        }

        let reasons = WireClosed.Reason.allCases.filter { $0 != .unspecified }.map { "closed \($0)" }
        // Those of no known group come on no topic that anybody follows here.
        let refusals = ["INVALID", "OVERLOAD", "PERMISSION_DENIED", "SEQUENCE_REUSED", "STALE"]
        let events = ["queued", "offered", "shown", "paused", "resumed", "updated", "told to plugins"]
        for mark in reasons + events + refusals.map({ "refused \($0)" }) {
            #expect(marks[mark] ?? 0 >= 3, "\(mark)")
        }
    }

    @Test func `a script gives the same run every time`() {
        let script = Workload.script(of: 5)
        let runs = (0..<2).map { _ in
            let world = World(script)
            return
                "\(String(describing: world.run())) \(world.audit.marks.sorted { $0.key < $1.key }) \(world.journal.history.map(\.commands))"
        }

        #expect(runs[0] == runs[1])
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a script can be read as it is printed`(seed: UInt64) throws {
        let script = Workload.script(of: seed)

        #expect(try Script(seed: seed, script.text) == script)
    }

    @Test func `a failing script shrinks to what makes it fail`() {
        let script = Workload.script(of: 3)
        let culprit = script.items[40]

        let shortest = shrunk(script) { $0.items.contains { $0.at == culprit.at } }

        #expect(shortest.items.count == 1)
        #expect(shortest.items.first?.at == culprit.at)
    }
}
