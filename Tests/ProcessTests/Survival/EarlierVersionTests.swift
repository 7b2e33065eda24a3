import Foundation
import PopupProtocol
import Testing
import TestPrograms

/// `Fixtures/data-0.1.0` was written by version 0.1.0: `commands` has a journal alone, `snapshot` what `journal compact`
/// made of it, and later commands.
@Suite("A data directory of version 0.1.0", .ownThread)
struct EarlierVersionTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/data-0.1.0")

    /// Copies a fixture into a temporary folder, and returns its path.
    private func copy(_ name: String, into folder: TemporaryDirectory) throws -> String {
        let path = folder.path("data")
        try FileManager.default.copyItem(atPath: Self.fixtures.appending(path: name).path, toPath: path)
        return path
    }

    private static let ofCommands = [
        "form-1 ACTIVE 0", "form-2 WAITING 0", "visitor ACTIVE 5", "canteen WAITING 0", "later WAITING 0",
        "warm ACTIVE 0", "till-2 ACTIVE 5", "till-1 PAUSED 2",
    ]
    private static let ofSnapshot = [
        "form-1 ACTIVE 0", "form-2 WAITING 0", "visitor ACTIVE 5", "later WAITING 0", "warm ACTIVE 0",
        "till-3 ACTIVE 9", "till-2 PAUSED 5", "till-1 PAUSED 2",
    ]

    @Test(
        "is read: its popups are there, with their flows, suspensions and policies",
        arguments: [("commands", ofCommands), ("snapshot", ofSnapshot)])
    func popups(fixture: String, popups: [String]) throws {
        let folder = try TemporaryDirectory()
        let data = try copy(fixture, into: folder)
        #expect(try ChildProcess(Programs.broker, ["journal", "verify", data]).result().exit == .code(0))

        let broker = try BrokerProcess(arguments: ["--data-dir", data])
        let wire = try broker.wire(following: "events/")
        let list = try wire.ask(#""list":{"selector":{"group":"*"}}"#).list
        #expect(list.popups.map(\.words) == popups)
        #expect(!broker.process.output.text(.error).contains("critical"))

        // A requirement of a flow.
        try wire.send(dismiss("form-1"))
        try wire.event("form-2 shown", of: "kiosk")
        // A suspension.
        try wire.send(#"{"resume":{"token":"meeting"}}"#)
        try wire.event("later shown", of: "quiet/1")
        // A policy: the last one on top, and a gap.
        try wire.send(show("till-4", in: "store/7"))
        try wire.event("till-4 shown", of: "store/7")
        // An id that it knew.
        try wire.send(show("visitor", in: "elsewhere"))
        try wire.settle()
        #expect(try wire.ask(#""count":{"selector":{"group":"elsewhere"}}"#).count.popups == 0)
        #expect(try broker.terminate().exit == .code(0))
    }
}
