import Foundation
import PopupProtocol
import TestPrograms
import Testing

/// A broker tells what its start found damaged in its log, which may be read by nobody.
@Suite("Damage that a start found", .ownThread)
struct UntoldFindingTests {
    private static let telling = "the journal is not as it was written"
    private let folder: TemporaryFolder

    private var data: String { folder.path("data") }
    private var hasFindings: Bool { FileManager.default.fileExists(atPath: data + "/findings") }

    /// A data directory without its mark.
    init() throws {
        folder = try TemporaryFolder()
        let broker = try start()
        try commit("A", broker)
        try broker.process.killNow()
        try FileManager.default.removeItem(atPath: data + "/mark")
    }

    private func start(unread pipe: UnreadPipe? = nil) throws -> BrokerProcess {
        try BrokerProcess(arguments: ["--data-dir", data], unreadError: pipe)
    }

    /// Returns when it is committed.
    private func commit(_ id: String, _ broker: BrokerProcess) throws {
        let wire = try broker.wire(following: "state/")
        try wire.send(#"{"show":{"id":"\#(id)","group":"\#(id)"}}"#)
        try wire.state(id, of: id)
    }

    @Test("is told by the next when its log was read by nobody and it was killed, and once only")
    func killed() throws {
        let pipe = try UnreadPipe()
        let unread = try start(unread: pipe)
        // It is committed all the same.
        try commit("B", unread)
        try unread.process.killNow()
        #expect(hasFindings)

        let next = try start()
        try next.process.wait(for: "the finding") { _, log, _ in log.contains(Self.telling) ? () : nil }
        try commit("C", next)
        try next.process.killNow()
        #expect(!hasFindings)

        let last = try start()
        try commit("D", last)
        #expect(!(try last.terminate().error).contains(Self.telling))
    }

    @Test("is told by the next when its log was read by nobody and it was ended")
    func ended() throws {
        let pipe = try UnreadPipe()
        let unread = try start(unread: pipe)
        try commit("B", unread)
        #expect(try unread.terminate().exit == .code(0))
        let next = try start()
        try commit("C", next)
        #expect(try next.terminate().error.contains(Self.telling))
        #expect(!hasFindings)
    }

    @Test("counts as told as soon as somebody reads the log")
    func readLater() throws {
        let pipe = try UnreadPipe()
        let broker = try start(unread: pipe)
        try commit("B", broker)
        #expect(hasFindings)
        try pipe.read(for: "the finding") { $0.contains(Self.telling) ? true : nil }
        // The pipe had it before the broker knew so.
        let deadline = Deadline.standard
        var number = 0
        while hasFindings, !deadline.isOver {
            number += 1
            try commit("C\(number)", broker)
        }
        #expect(!hasFindings)
        try broker.process.killNow()
    }
}
