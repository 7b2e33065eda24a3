import Foundation
import PopupProtocol
import Testing
import TestPrograms
import TestSupport

/// A data directory is damaged in any way, and a broker is started on it: it is ready within a bound or says why it is
/// not, and what is lost is told. `POPUP_DAMAGES` and `POPUP_SEED` make a longer run: `make chaos DAMAGES=3000 SEED=1`.
@Suite("A data directory with random damage", .ownThread)
struct AnyFileDamageTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let damages = environment["POPUP_DAMAGES"].flatMap { Int($0) } ?? 60
    private static let seed = environment["POPUP_SEED"].flatMap { UInt64($0) } ?? 1
    /// A start that takes longer is at fault: it takes some ms of computing, and a busy machine some seconds.
    private static let limit = Duration.seconds(30)

    private let stage: Stage
    private let kept: String

    init() throws {
        stage = try Stage(policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"])
        kept = stage.folder.path("kept")
    }

    /// Leaves what a killed broker leaves, in `kept`. Returns the ids in order.
    private func fill() throws -> [String] {
        try stage.startBroker()
        let wire = try stage.wire()
        var ids: [String] = []
        while ids.count < 80 || ids.count < 600 && stage.log.ranges(of: "snapshot made").count < 2 {
            let id = "p\(ids.count + 1)"
            ids.append(id)
            // Rows within a page, and of several.
            let text = String(repeating: "x", count: ids.count.isMultiple(of: 3) ? 9000 : 300)
            try wire.send(show(id, in: "lobby", #""text":"\#(id) \#(text)""#))
            try wire.settle()
        }
        try stage.killBroker()
        try FileManager.default.moveItem(atPath: stage.data, toPath: kept)
        return ids
    }

    @Test("is opened in time; nothing is invented, and nothing is lost without a word")
    func anything() throws {
        let ids = try fill()
        var dice = SplitMix64(seed: Self.seed)
        var tally: [String: Int] = [:]
        var slowest = Duration.zero
        for number in 1...Self.damages {
            try? FileManager.default.removeItem(atPath: stage.data)
            try FileManager.default.copyItem(atPath: kept, toPath: stage.data)
            var what: [String] = []
            for _ in 0..<(dice.falls(80) ? 1 : 3) { what.append(try FolderDamage.any(in: stage.data, &dice)) }
            let comment: Comment = "damage \(number) of seed \(Self.seed): \(what.joined(separator: ", then "))"
            let start = ContinuousClock.now
            try stage.launchBroker()
            let isReady = try stage.isReady()
            let time = ContinuousClock.now - start
            slowest = max(slowest, time)
            #expect(time < Self.limit, comment)
            if isReady {
                let left = try stage.lobby()
                #expect(left == ids.filter(Set(left).contains), comment)
                let finding = "the journal is not as it was written"
                // The log is written by a thread of its own: what is to be in it is waited for.
                let isTold = try left == ids ? stage.log.contains(finding) : stage.comesToLog(finding)
                #expect(left == ids || isTold, "lost without a word; \(comment)")
                tally[left == ids ? (isTold ? "told, nothing lost" : "nothing lost") : "lost and told", default: 0] += 1
                try stage.killBroker()
            } else {
                let result = try stage.brokerResult()
                #expect(result.error.contains("popup-broker: "), "no reason; \(comment); \(result)")
                #expect([.code(65), .code(74), .code(77)].contains(result.exit), "\(comment); \(result)")
                print("damage \(number) is refused: \(what.joined(separator: ", then ")): \(result.error)")
                tally["refused", default: 0] += 1
            }
        }
        print(
            "\(Self.damages) damages of seed \(Self.seed): \(tally.sorted { $0.key < $1.key }); slowest start \(slowest)"
        )
    }
}

extension Stage {
    /// Waits until a text is in the log of the broker; false when it does not come.
    fileprivate func comesToLog(_ text: String) throws -> Bool {
        do {
            try brokerLogs(text)
            return true
        } catch is NotInTime {
            return false
        }
    }

    /// Waits until the broker that was launched is ready, or ends: then false.
    fileprivate func isReady() throws -> Bool {
        try waitForBroker("to be ready or to end") { output, _, exit in
            output.contains("popup-broker ready") ? true : exit.map { _ in false }
        }
    }
}
