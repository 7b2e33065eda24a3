import Foundation
import PopupProtocol
import Testing
import TestPrograms

/// What needs the disk waits for it, and nothing else does.
@Suite("A disk that takes long for each commit", .ownThread)
struct SlowDiskTests {
    private static let commit = Duration.milliseconds(800)
    /// As much later as a busy machine may be, in ms.
    private static let tolerance = 400.0

    @Test("makes timers late by one commit at most, and no question wait")
    func slowCommits() throws {
        let disk = try SlowDisk(commit: Self.commit)
        let folder = try TemporaryFolder()
        let broker = try BrokerProcess(arguments: ["--data-dir", folder.path("data")], environment: disk.environment)
        let wire = try broker.wire(following: "events/")
        let wall = Date.now.timeIntervalSince1970 * 1000
        let begin = ContinuousClock.now
        try disk.becomeSlow()
        // That it is slow is known once it was.
        let first = ContinuousClock.now
        try wire.send(show("first", in: "first"))
        let shown = try wire.event("first shown", of: "first")
        #expect(shown.at - first >= Self.commit)

        let timers = 0..<12
        for number in timers {
            try wire.send(show("T\(number)", in: "timers/\(number)", #""durationMs":\#(900 + 170 * number)"#))
        }
        var longest = Duration.zero
        for number in 0..<30 {
            // A commit is always under way, of a large batch.
            for part in 0..<30 { try wire.send(show("N\(number).\(part)", in: "noise")) }
            let asked = ContinuousClock.now
            _ = try wire.ask(#""count":{}"#)
            longest = max(longest, ContinuousClock.now - asked)
            _ = try wire.waits(before: .after(.milliseconds(100))) { _ in false }
        }
        let lateness = try timers.map { number in
            let end = try wire.event("T\(number) closed TIMED_OUT", of: "timers/\(number)")
            return wall + (end.at - begin) / .milliseconds(1) - Double(end.event.time)
        }
        print("slow disk: questions within \(longest), timers late by \(lateness.map { Int($0) }) ms")
        #expect(longest < .milliseconds(Self.tolerance))
        #expect(lateness.max() ?? 0 < Self.commit / .milliseconds(1) + Self.tolerance)
        #expect(lateness.min() ?? 0 > -5)
        // All that was sent is committed.
        disk.becomeFast()
        try wire.event("N29.29 queued", of: "noise")
        #expect(try broker.terminate().exit == .code(0))
        #expect(
            try ChildProcess(Programs.broker, ["journal", "verify", folder.path("data")]).result().exit == .code(0))
    }
}
