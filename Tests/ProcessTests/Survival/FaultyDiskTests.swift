import Foundation
import PopupProtocol
import Testing
import TestPrograms

/// The real broker on a disk whose calls fail. `POPUP_ROUNDS` and `POPUP_SEED` make a longer run.
@Suite("On a disk whose calls fail, a broker", .ownThread)
struct FaultyDiskTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["POPUP_ROUNDS"].flatMap { Int($0) } ?? 2
    private static let seed = environment["POPUP_SEED"].flatMap { UInt64($0) } ?? 7

    private let folder: TemporaryDirectory
    private let faults: DiskFaults
    private let stage: Stage
    private let text = String(repeating: "x", count: 3000)

    init() throws {
        folder = try TemporaryDirectory()
        faults = try DiskFaults(below: folder.path("data"), in: folder, seed: Self.seed)
        stage = try Stage(
            policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"],
            environment: faults.environment, folder: folder)
    }

    /// Shows popups one by one. Returns the ids that are there after that.
    private func send(_ ids: [String], to wire: Wire) throws -> [String] {
        for id in ids {
            try wire.send(show(id, in: "lobby", #""text":"\#(text)""#))
            try wire.settle()
        }
        return try stage.lobby()
    }

    /// Sends until one is accepted: a broker that refuses goes on as soon as it can.
    private func sendUntilAccepted(_ name: String, _ wire: Wire) throws -> [String] {
        for attempt in 1...200 {
            let id = "\(name)-\(attempt)"
            let there = try send([id], to: wire)
            if there.contains(id) { return there }
        }
        throw NotInTime(description: "the broker accepts nothing, though its disk is well:\n\(stage.log)")
    }

    /// Rounds of commands while calls fail, and while none does, and a restart after each. Returns how many were refused.
    ///
    /// - Parameter isHarmless: The broker is killed without a call that is as it should be.
    private func run(_ rules: [String], isHarmless: Bool = false) throws -> Int {
        var accepted: [String] = []
        var refused = 0
        for round in 1...Self.rounds {
            try stage.startBroker()
            #expect(try stage.lobby() == accepted, "at the start of round \(round)")
            let wire = try stage.wire()
            try faults.set(rules.joined(separator: "\n"))
            let ids = (1...30).map { "r\(round)-\($0)" }
            let there = try send(ids, to: wire)
            #expect(there.starts(with: accepted))
            refused += ids.count - (there.count - accepted.count)
            accepted = there
            if !isHarmless {
                try faults.set()
                accepted = try sendUntilAccepted("well\(round)", wire)
            }
            try stage.killBroker()
            try faults.set()
            let verified = try stage.verify()
            #expect(verified.exit == .code(0), "in round \(round): \(verified)")
        }
        // A start on such a disk says what is wrong, or succeeds.
        try faults.set(rules.joined(separator: "\n"))
        try stage.launchBroker()
        let exit = try stage.waitForBroker("to be ready or to end") { output, _, exit in
            exit.map { Optional($0) } ?? (output.contains("popup-broker ready") ? .some(nil) : nil)
        }
        if let exit {
            let result = try stage.brokerResult()
            #expect(exit == .code(74), "\(result)")
            #expect(result.error.contains("popup-broker: cannot "), "\(result)")
        } else {
            try stage.killBroker()
        }
        try faults.set()
        try stage.startBroker()
        #expect(try stage.lobby() == accepted)
        #expect(!stage.log.contains("not as it was written"), "\(stage.log)")
        return refused
    }

    @Test(
        "whose writes are short, interrupted, or slow, refuses nothing and damages nothing",
        arguments: ["write SHORT 60", "open,write,truncate EINTR 30", "fsync SLOW:20 100"])
    func harmless(_ rule: String) throws {
        #expect(try run([rule], isHarmless: true) == 0, "\(stage.log)")
    }

    @Test(
        "refuses what can't be written, says so, goes on when it can, and loses nothing of what it accepted",
        arguments: [
            ["write EIO 3"], ["write ENOSPC 8"], ["fsync EIO 30"], ["write SHORT 50", "write ENOSPC 20"],
            ["fsync EINTR 20", "open EIO 10", "truncate EIO 30", "rename EIO 30", "unlink EIO 30"],
        ])
    func failing(_ rules: [String]) throws {
        let refused = try run(rules)
        print("\(rules.joined(separator: ", ")): \(refused) of \(Self.rounds * 30) refused")
    }

    @Test("on which no write succeeds accepts nothing, answers queries, and goes on afterwards")
    func nothing() throws {
        try stage.startBroker()
        let wire = try stage.wire()
        for rule in ["write ENOSPC 100", "write EIO 100", "fsync EIO 100"] {
            let before = try stage.lobby()
            try faults.set(rule)
            #expect(try send((1...10).map { "\($0) \(rule)" }, to: wire) == before)
            try stage.brokerLogs("the journal could not commit")
            try faults.set()
            let after = try sendUntilAccepted("after \(rule)", wire)
            #expect(after.starts(with: before) && after.count == before.count + 1)
        }
        let left = try stage.lobby()
        try stage.killBroker()
        #expect(try stage.verify().exit == .code(0))
        try stage.startBroker()
        #expect(try stage.lobby() == left)
    }
}
