import Foundation
import Glibc
import PopupProtocol
import TestPrograms
import Testing

/// What is logged stands behind a pipe whose reader is stuck, has died, or never was.
@Suite("A log that nobody reads", .ownThread)
struct UnreadLogTests {
    /// Every refusal is a line, and few of them fit.
    static let wordy = ["--set", "limits.refusalLogLines=100000", "--set", "log.queueBytes=65536"]

    /// As many lines as these need more than the queue holds.
    static let refusals = 5000

    private func refuse(_ count: Int, over wire: Wire) throws {
        for number in 0..<count { try wire.send(show("R\(number)", in: "g", #""durationMs":-1"#)) }
        try wire.settle()
    }

    @Test("holds nobody up, and is told what it missed when it is read again")
    func fullPipe() throws {
        let pipe = try UnreadPipe()
        let broker = try BrokerProcess(arguments: Self.wordy, unreadError: pipe)
        let wire = try broker.wire(following: "state/")
        try refuse(Self.refusals, over: wire)
        try wire.send(show("A", in: "g"))
        try wire.state("A", of: "g")
        #expect(try wire.ask(#""stats":{}"#).stats.refused == UInt64(Self.refusals))

        let (written, missed) = try pipe.read(for: "the number of lines that were not written") { text in
            text.firstMatch(of: /([0-9]+) lines were not written/).map { match in
                let lines = text[..<match.range.lowerBound].split(separator: "\n")
                return (lines.count { $0.contains("command refused") }, Int(match.1) ?? 0)
            }
        }
        #expect(written > 100)
        #expect(written + missed >= Self.refusals)
        #expect(written + missed < Self.refusals + 10)
        // The log goes on.
        try refuse(1, over: wire)
        try pipe.read(for: "the next line") { $0.contains("popup=R0") ? true : nil }
        #expect(try broker.terminate().exit == .code(0))
    }

    @Test("does not hold up the end", arguments: [SIGTERM, SIGINT])
    func end(signal: Int32) throws {
        let pipe = try UnreadPipe()
        let broker = try BrokerProcess(arguments: Self.wordy, unreadError: pipe)
        let wire = try broker.wire(following: "state/")
        try refuse(Self.refusals, over: wire)
        let begin = ContinuousClock.now
        #expect(try broker.terminate(signal).exit == .code(0))
        #expect(ContinuousClock.now - begin < .seconds(30))
    }

    @Test("does not hold up a start that fails")
    func failedStart() throws {
        let pipe = try UnreadPipe()
        let arguments = [
            "run", "--durability", "memory", "--set", "security.allowPlainNetwork=true", "--ingress",
            "tcp://192.0.2.1:5570",
        ]
        let result = try ChildProcess(
            Programs.broker, arguments + ["--egress", "tcp://127.0.0.1:*"], unread: (nil, pipe)
        ).result()
        #expect(result.exit == .code(69))
    }

    @Test("may have the standard output in the same pipe")
    func output() throws {
        let pipe = try UnreadPipe()
        let folder = try TemporaryDirectory()
        let (ingress, egress) = ("ipc://\(folder.path("i"))", "ipc://\(folder.path("e"))")
        let broker = try ChildProcess(
            Programs.broker, ["run", "--durability", "memory", "--ingress", ingress, "--egress", egress],
            unread: (pipe, pipe))
        let wire = try Wire(ingress: ingress, egress: egress, following: ["state/"])
        try wire.send(show("A", in: "g"))
        try wire.state("A", of: "g")
        try pipe.read(for: "the readiness line") { $0.contains("popup-broker ready ingress=ipc://") ? true : nil }
        broker.signal(SIGTERM)
        #expect(try broker.result().exit == .code(0))
    }

    @Test("and whose reader has gone is no reason to end")
    func closedPipe() throws {
        let pipe = try UnreadPipe()
        let broker = try BrokerProcess(arguments: Self.wordy, unreadError: pipe)
        let wire = try broker.wire(following: "state/")
        pipe.closeReadEnd()
        try refuse(Self.refusals, over: wire)
        try wire.send(show("A", in: "g"))
        try wire.state("A", of: "g")
        #expect(try broker.terminate().exit == .code(0))
    }

    @Test("since there is no standard error, goes into no other file")
    func closedDescriptor() throws {
        let folder = try TemporaryDirectory()
        let command = #"exec "$0" run --data-dir "$1" --ingress tcp://127.0.0.1:* --egress tcp://127.0.0.1:* 2>&-"#
        let broker = try BrokerProcess(
            starting: ChildProcess("/bin/sh", ["-c", command, Programs.broker, folder.path("data")]))
        let wire = try broker.wire(following: "state/")
        try refuse(20, over: wire)
        let place = try FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(broker.process.identifier)/fd/2")
        #expect(place == "/dev/null" || !place.hasPrefix("/"))
        #expect(try broker.terminate().exit == .code(0))
    }
}
