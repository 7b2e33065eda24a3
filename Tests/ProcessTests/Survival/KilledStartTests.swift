import Foundation
import PopupProtocol
import Testing
import TestPrograms
import TestSupport

/// Starts on a damaged data directory that are ended while they mend it. `POPUP_START_KILLS` sets how many are tried.
@Suite("A start on a damaged data directory", .ownThread)
struct KilledStartTests {
    private let folder: TemporaryDirectory
    private let faults: DiskFaults
    private let stage: Stage

    init() throws {
        folder = try TemporaryDirectory()
        faults = try DiskFaults(below: folder.path("data"), in: folder)
        stage = try Stage(
            policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"],
            environment: faults.environment, folder: folder)
    }

    /// Leaves a folder with a cut snapshot and a WAL that ends too early. Returns the ids.
    private func fill() throws -> [String] {
        try stage.startBroker()
        let wire = try stage.wire()
        let text = String(repeating: "x", count: 4000)
        var ids: [String] = []
        while ids.count < 60 || ids.count < 600 && stage.log.ranges(of: "snapshot made").count < 2 {
            let id = "p\(ids.count + 1)"
            ids.append(id)
            try wire.send(show(id, in: "lobby", #""text":"\#(id) \#(text)""#))
            // A batch of its own.
            try wire.settle()
        }
        try stage.brokerLogs("snapshot made", times: 2)
        try stage.killBroker()
        try stage.files { $0.hasPrefix("snapshot-") }.last?.cut(to: 1, of: 2)
        try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite-wal") }.last?.cut(to: 1, of: 2)
        return ids
    }

    /// Restores the folder as it was kept.
    private func restore(_ kept: String) throws {
        try? FileManager.default.removeItem(atPath: stage.data)
        try FileManager.default.copyItem(atPath: kept, toPath: stage.data)
    }

    private static func findings(_ log: String) -> Set<String> {
        Set(
            log.split(separator: "\n").compactMap { line in
                line.split(separator: "the journal is not as it was written ").dropFirst().first.map(String.init)
            })
    }

    @Test("that is killed before any of its calls: what it found is told by it or by the next, nothing is lost twice")
    func kills() throws {
        let kept = folder.path("kept")
        _ = try fill()
        try FileManager.default.moveItem(atPath: stage.data, toPath: kept)
        try restore(kept)
        try stage.startBroker()
        let left = try stage.lobby()
        // Its end writes what the log still has.
        let expected = Self.findings(try stage.endBroker().error)
        #expect(expected.count >= 2, "\(expected)")

        // Each call in turn for a long run; evenly chosen ones otherwise, and a second kill at another.
        let tries = ProcessInfo.processInfo.environment["POPUP_START_KILLS"].flatMap { Int($0) } ?? 24
        var dice = SplitMix64(seed: 9)
        let calls = try callsOfStart(kept)
        for number in 0..<tries {
            let first = tries >= calls ? number % calls + 1 : calls * number / tries + 1
            let kills = number.isMultiple(of: 2) ? [first] : [first, Int.random(in: 1...calls, using: &dice)]
            try restore(kept)
            var told: Set<String> = []
            for kill in kills {
                try faults.set("all KILL:\(kill) 100")
                try stage.launchBroker()
                // It may be ready before; then the next has nothing to tell but what this one did.
                let log = try stage.killedStart().log
                told.formUnion(Self.findings(log))
            }
            try faults.set()
            try stage.startBroker()
            try stage.brokerLogs(" ready ")
            told.formUnion(Self.findings(stage.log))
            #expect(told.isSuperset(of: expected), "killed before calls \(kills) of \(calls): \(told)")
            #expect(try stage.lobby() == left, "killed before calls \(kills) of \(calls)")
            try stage.killBroker()
        }
        print("\(tries) starts killed before one of \(calls) calls")
    }

    /// How many calls on its folder a start makes until it is ready: it is killed before the next.
    private func callsOfStart(_ kept: String) throws -> Int {
        var (low, high) = (1, 4096)
        while low < high {
            let middle = (low + high) / 2
            try restore(kept)
            try faults.set("all KILL:\(middle) 100")
            try stage.launchBroker()
            if try stage.killedStart().isReady { high = middle } else { low = middle + 1 }
        }
        try faults.set()
        return low
    }

    @Test(
        "obeys SIGTERM and SIGINT though the disk is slow, and leaves what the next start needs",
        arguments: [SIGTERM, SIGINT])
    func signals(_ signal: Int32) throws {
        let ids = try fill()
        try faults.set("fsync,rename SLOW:60000 100")
        try stage.launchBroker()
        // Whoever has the lock heeds signals.
        try stage.waitUntilLocked()
        let start = ContinuousClock.now
        stage.signalBroker(signal)
        let result = try stage.brokerResult()
        #expect(result.exit == .code(0), "\(result)")
        // The start itself would take minutes.
        #expect(ContinuousClock.now - start < .seconds(40))
        try faults.set()
        try stage.startBroker()
        try stage.brokerLogs("the journal is not as it was written")
        let left = try stage.lobby()
        #expect(!left.isEmpty && left == ids.filter(Set(left).contains))
    }
}

extension Stage {
    /// Waits until the broker that was launched is killed, or ready, and kills it then. Returns whether it was ready, and
    /// its log to the end.
    fileprivate func killedStart() throws -> (isReady: Bool, log: String) {
        let isReady = try waitForBroker("to be ready or killed") { output, _, exit in
            output.contains("popup-broker ready") ? true : exit.map { _ in false }
        }
        signalBroker(SIGKILL)
        return (isReady, try brokerResult().error)
    }

    /// Waits until a process has the data directory.
    fileprivate func waitUntilLocked() throws {
        let deadline = Deadline.standard
        while !deadline.isOver {
            let info = try ChildProcess(Programs.broker, ["journal", "info", data]).result()
            if info.output.contains("by process") { return }
        }
        throw NotInTime(description: "nobody has the folder")
    }
}
