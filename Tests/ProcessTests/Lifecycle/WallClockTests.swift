import Foundation
import PopupProtocol
import TestPrograms
import Testing

/// Durations go by the time that passes; quiet windows, and the times of events, by the wall clock.
@Suite("The wall clock is set while the broker runs", .ownThread)
struct WallClockTests {
    private let folder: TemporaryDirectory
    private let clock: WallClock
    private let stage: Stage

    init() throws {
        folder = try TemporaryDirectory()
        clock = try WallClock(in: folder)
        // In force now, and for half an hour at least.
        let now = Int(Date.now.timeIntervalSince1970) / 60
        let window = "{from: '\(Self.time(now - 30))', to: '\(Self.time(now + 31))', timeZone: UTC}"
        stage = try Stage(
            policies: "  - {group: lobby, quiet: [\(window)]}\n", environment: clock.environment, folder: folder)
    }

    /// A time of day, in minutes since some midnight.
    private static func time(_ minutes: Int) -> String {
        let minutes = minutes % 1440
        return "\(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    private static let hours = 3

    @Test("a foreign client sees quiet windows end and begin again, and times of events by it; a restart agrees")
    func set() throws {
        try stage.startBroker()
        let wire = try stage.wire(following: "events/", "state/")
        try wire.send(show("A", in: "lobby"))
        let queued = try wire.event("A queued", of: "lobby")
        let sent = ContinuousClock.now
        try wire.send(show("D", in: "hall", #""durationMs":8000"#))
        let shown = try wire.event("D shown", of: "hall")

        try clock.set(ahead: Self.hours * 3600)
        let resumed = try wire.event("A shown", of: "lobby")
        #expect(resumed.event.time > queued.event.time + UInt64(Self.hours) * 3_600_000)
        try stage.brokerLogs("the wall clock was set")

        // What is shown for a time is so as long as ever, told by the clock that was set.
        let closed = try wire.event("D closed TIMED_OUT", of: "hall")
        #expect(closed.at - sent > .milliseconds(7900))
        #expect(closed.event.time > shown.event.time + UInt64(Self.hours) * 3_600_000)

        try clock.set(ahead: 0)
        let paused = try wire.event("A paused", of: "lobby")
        #expect(paused.event.time < resumed.event.time)

        // A restart comes to the same, by its own clock.
        try stage.killBroker()
        try stage.startBroker()
        #expect(try stage.wire().ask(#""peek":{"group":"lobby"}"#).peek.popups.map(\.phase) == [.paused])
        try stage.killBroker()
        try clock.set(ahead: Self.hours * 3600)
        try stage.startBroker()
        #expect(try stage.wire().ask(#""peek":{"group":"lobby"}"#).peek.popups.map(\.phase) == [.active])
        #expect(try stage.endBroker().exit == .code(0))
        #expect(try stage.verify().exit == .code(0))
    }
}

/// A wall clock that is set, for programs that are started with its environment. See `Tests/DiskFaults/wall-clock.c`.
private struct WallClock {
    let environment: [String: String]
    private let lead: String

    /// One that is right.
    init(in folder: TemporaryDirectory) throws {
        lead = folder.path("wall-clock")
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "DiskFaults/wall-clock.c").path
        let library = folder.path("wall-clock.so")
        let result = try ChildProcess(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", library, source]
        ).result(before: .after(.seconds(60)))
        guard result.exit == .code(0) else { throw NotInTime(description: "cc: \(result.error)") }
        environment = ["LD_PRELOAD": library, "WALL_CLOCK_LEAD": lead]
    }

    /// So many seconds ahead from now on.
    func set(ahead seconds: Int) throws {
        try "\(seconds)".write(toFile: lead, atomically: true, encoding: .utf8)
    }
}
