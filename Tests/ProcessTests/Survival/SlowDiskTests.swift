import Foundation
import PopupProtocol
import Testing
import TestPrograms

/// What needs the disk waits for it, and nothing else does.
@Suite("A disk that takes long for each commit", .ownThread)
struct SlowDiskTests {
    private static let commit = Duration.seconds(3)
    /// As much later as a busy machine may be, in ms: less than a commit, so that a wait for one more is seen.
    private static let tolerance = 2500.0

    @Test("makes timers late by one commit at most, and no query wait")
    func slowCommits() throws {
        let disk = try SlowDisk(commit: Self.commit)
        let folder = try TemporaryDirectory()
        let broker = try BrokerProcess(arguments: ["--data-dir", folder.path("data")], environment: disk.environment)
        let wire = try broker.wire(following: "events/")
        // In this order: a wait between the two makes the timers seem late, and never early.
        let begin = ContinuousClock.now
        let wall = Date.now.timeIntervalSince1970 * 1000
        try disk.becomeSlow()
        // That it is slow is known once it was.
        let first = ContinuousClock.now
        try wire.send(show("first", in: "first"))
        let shown = try wire.event("first shown", of: "first")
        #expect(shown.at - first >= Self.commit)

        // They end over more than a commit, so that one of them ends just after the next has begun.
        let timers = 0..<16
        for number in timers {
            try wire.send(show("T\(number)", in: "timers/\(number)", #""durationMs":\#(900 + 250 * number)"#))
        }
        var waits: [Duration] = []
        for number in 0..<80 {
            // A commit is always under way, of a large batch.
            for part in 0..<30 { try wire.send(show("N\(number).\(part)", in: "noise")) }
            let asked = ContinuousClock.now
            _ = try wire.ask(#""count":{}"#)
            waits.append(ContinuousClock.now - asked)
            _ = try wire.waits(before: .after(.milliseconds(100))) { _ in false }
        }
        let lateness = try timers.map { number in
            let end = try wire.event("T\(number) closed TIMED_OUT", of: "timers/\(number)")
            return wall + (end.at - begin) / .milliseconds(1) - Double(end.event.time)
        }
        waits.sort()
        print("slow disk: queries within \(waits.suffix(3)), timers late by \(lateness.map { Int($0) }) ms")
        // All but two, which the machine may have held up: those that wait for the disk would all take as long as a commit.
        #expect(waits[waits.count - 3] < .milliseconds(Self.tolerance))
        #expect(lateness.max() ?? 0 < Self.commit / .milliseconds(1) + Self.tolerance)
        #expect(lateness.min() ?? 0 > -5)
        // All that was sent is committed.
        disk.becomeFast()
        try wire.event("N79.29 queued", of: "noise")
        #expect(try broker.terminate().exit == .code(0))
        #expect(
            try ChildProcess(Programs.broker, ["journal", "verify", folder.path("data")]).result().exit == .code(0))
    }

    @Test("holds up commands alone when more of them come than the next commit can have: subscribers get their states")
    func fullBatches() throws {
        let disk = try SlowDisk(commit: Self.commit)
        let folder = try TemporaryDirectory()
        let broker = try BrokerProcess(arguments: ["--data-dir", folder.path("data")], environment: disk.environment)
        let wire = try broker.wire()
        let groups = (0..<6).map { "late/\($0)" }
        for group in groups { try wire.send(show("of \(group)", in: group)) }
        try wire.settle()
        try disk.becomeSlow()
        // Three batches of 1024 at least: while one is committed, the next is full.
        for number in 0..<4000 { try wire.send(show("N\(number)", in: "noise")) }
        var waits: [Duration] = []
        for group in groups {
            let asked = ContinuousClock.now
            try wire.subscribe(to: "state/\(group)/")
            try wire.wait(for: "the state of \(group)") { !$0.states(of: group).isEmpty }
            waits.append(ContinuousClock.now - asked)
            _ = try wire.waits(before: .after(.milliseconds(300))) { _ in false }
        }
        waits.sort()
        print("slow disk: states within \(waits) while batches are full")
        // Those that wait for a commit would take most of it.
        #expect(waits[waits.count / 2] < Self.commit / 6)
        disk.becomeFast()
        #expect(try broker.terminate().exit == .code(0))
    }

    @Test("holds a start up for a few waits of its own, however many segments are left unsealed")
    func start() throws {
        let folder = try TemporaryDirectory()
        let disk = try DiskFaults(below: folder.path("data"), in: folder)
        let stage = try Stage(
            durability: "normal", policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"],
            environment: disk.environment, folder: folder)
        try stage.startBroker()
        let wire = try stage.wire()
        let text = String(repeating: "x", count: 4000)
        func send(_ number: Int) throws {
            try wire.send(show("P\(number)", in: "lobby", #""text":"\#(text)""#))
            try wire.settle()
        }
        // No segment can be sealed: only that writes into its database.
        try disk.set("fsync EIO 100 journal-*.sqlite")
        func unsealed() throws -> Int {
            try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite-wal") }.count
        }
        var number = 0
        while try unsealed() < 8 {
            number += 1
            try #require(number < 1000, "segments are not left unsealed")
            try send(number)
        }
        try stage.killBroker()

        try disk.set("fsync SLOW:1500 100")
        let begin = ContinuousClock.now
        try stage.startBroker()
        let time = ContinuousClock.now - begin
        print("slow disk: a start with \(try unsealed()) segments unsealed took \(time)")
        // Sealing one of them waits for the disk three times.
        #expect(try unsealed() >= 5)
        #expect(time < .milliseconds(10_000 + 6 * 1500))
        #expect(try stage.lobby() == (1...number).map { "P\($0)" })
    }
}
