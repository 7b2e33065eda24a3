import Foundation
import PopupProtocol
import TestPrograms
import Testing

/// A broker logs the damage that its start found in the journal, but possibly nobody reads the log.
@Suite("Damage found by a start", .ownThread)
struct UnreportedFindingTests {
    private static let logLine = "the journal is not as it was written"
    private let folder: TemporaryDirectory

    private var data: String { folder.path("data") }
    private var hasFindings: Bool { FileManager.default.fileExists(atPath: data + "/findings") }

    /// A data directory without its mark.
    init() throws {
        folder = try TemporaryDirectory()
        let broker = try start()
        try commit("A", broker)
        try broker.process.killNow()
        try FileManager.default.removeItem(atPath: data + "/mark")
    }

    private func start(unread pipe: UnreadPipe? = nil) throws -> BrokerProcess {
        try BrokerProcess(arguments: ["--data-dir", data], unreadError: pipe)
    }

    /// Sends a popup, and waits until it is committed.
    private func commit(_ id: String, _ broker: BrokerProcess) throws {
        let wire = try broker.wire(following: "state/")
        try wire.send(#"{"show":{"id":"\#(id)","group":"\#(id)"}}"#)
        try wire.state(id, of: id)
    }

    /// Lets the broker notice that its log was read, which it does only some moments afterwards.
    private func commitUntilReported(_ id: String, _ broker: BrokerProcess) throws {
        let deadline = Deadline.standard
        var number = 0
        repeat {
            number += 1
            try commit("\(id)\(number)", broker)
        } while hasFindings && !deadline.isOver
    }

    @Test("is logged by the next start if the log was not read and the broker was killed, and only once")
    func killed() throws {
        let pipe = try UnreadPipe()
        let unread = try start(unread: pipe)
        // The broker commits nevertheless.
        try commit("B", unread)
        try unread.process.killNow()
        #expect(hasFindings)

        let next = try start()
        try next.process.wait(for: "the finding") { _, log, _ in log.contains(Self.logLine) ? () : nil }
        try commitUntilReported("C", next)
        try next.process.killNow()
        #expect(!hasFindings)

        let last = try start()
        try commit("D", last)
        #expect(!(try last.terminate().error).contains(Self.logLine))
    }

    @Test("is logged by the next start if the log was not read and the broker was terminated")
    func ended() throws {
        let pipe = try UnreadPipe()
        let unread = try start(unread: pipe)
        try commit("B", unread)
        #expect(try unread.terminate().exit == .code(0))
        let next = try start()
        try commit("C", next)
        #expect(try next.terminate().error.contains(Self.logLine))
        #expect(!hasFindings)
    }

    @Test("counts as reported as soon as the log is read")
    func readLater() throws {
        let pipe = try UnreadPipe()
        let broker = try start(unread: pipe)
        try commit("B", broker)
        #expect(hasFindings)
        try pipe.read(for: "the finding") { $0.contains(Self.logLine) ? true : nil }
        try commitUntilReported("C", broker)
        #expect(!hasFindings)
        try broker.process.killNow()
    }
}
