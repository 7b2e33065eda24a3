import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("A data directory that is taken from under a running broker", .ownThread)
struct RemovedDirectoryTests {
    private static let kept = (1...10).map { "kept\($0)" }
    private static let message = "removed or replaced while this broker was using it"

    private let stage: Stage
    private let aside: String

    init() throws {
        stage = try Stage(policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"])
        aside = stage.folder.path("aside")
        try stage.startBroker()
        let wire = try stage.wire()
        for id in Self.kept { try wire.send(show(id, in: "lobby")) }
        #expect(try stage.lobby() == Self.kept)
    }

    /// Sends commands one by one, none of which is accepted; the broker answers all the same, and says why.
    private func expectRefused() throws {
        let wire = try stage.wire(following: "events/lobby")
        for number in 1...10 {
            try wire.send(show("lost\(number)", in: "lobby"))
            #expect(try stage.lobby() == Self.kept)
        }
        #expect(wire.events(of: "lobby").allSatisfy { $0.popup.hasPrefix("kept") || $0.refused.reason == .overload })
        try stage.brokerLogs(Self.message)
        #expect(stage.log.split(separator: "\n").first { $0.contains(Self.message) }?.contains("critical") == true)
    }

    private func move(_ path: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: other)
    }

    @Test("by removal: nothing is accepted any more, and what was is not acknowledged twice")
    func removed() throws {
        try FileManager.default.removeItem(atPath: stage.data)
        try expectRefused()
        // A new one in its place is another.
        try FileManager.default.createDirectory(atPath: stage.data, withIntermediateDirectories: false)
        try expectRefused()
        #expect(try stage.files { _ in true }.isEmpty)
        // It ends when it is asked to, whatever is left to close.
        _ = try stage.endBroker()
    }

    @Test("by another name: it goes on when the folder is back, and a restart has all that was accepted")
    func renamed() throws {
        try move(stage.data, to: aside)
        try expectRefused()
        try move(aside, to: stage.data)
        let wire = try stage.wire()
        try wire.send(show("later", in: "lobby"))
        #expect(try stage.lobby() == Self.kept + ["later"])
        try stage.killBroker()
        #expect(try stage.verify().exit == .code(0))
        try stage.startBroker()
        #expect(try stage.lobby() == Self.kept + ["later"])
    }

    @Test("by another name until a restart: what was refused may be on disk, and then holds its sequence")
    func refusedAndKept() throws {
        let producer = String(repeating: "a", count: 32)
        func numbered(_ id: String) -> String {
            #"{"producer":"\#(producer)","sequence":1,"show":{"id":"\#(id)","group":"lobby"}}"#
        }
        func refusal(of id: String, _ wire: Wire) throws -> WireRefused.Reason {
            try wire.send(numbered(id))
            func reason() -> WireRefused.Reason? { wire.events(of: "lobby").last { $0.popup == id }?.refused.reason }
            try wire.wait(for: "a refusal of `\(id)`") { _ in reason() != nil }
            return reason() ?? .unspecified
        }
        let before = try stage.wire(following: "events/lobby")
        try move(stage.data, to: aside)
        // The batch during which the loss is noticed.
        #expect(try refusal(of: "first", before) == .overload)
        try stage.killBroker()
        try move(aside, to: stage.data)
        try stage.startBroker()
        #expect(try stage.lobby() == Self.kept + ["first"])
        let wire = try stage.wire(following: "events/lobby")
        #expect(try refusal(of: "second", wire) == .sequenceReused)
        // A repetition is acknowledged, and changes nothing.
        try wire.send(numbered("first"))
        #expect(try stage.lobby() == Self.kept + ["first"])
    }

    @Test("by a copy in its place: nothing is accepted, and nothing is written to the copy")
    func replaced() throws {
        try move(stage.data, to: aside)
        try FileManager.default.copyItem(atPath: aside, toPath: stage.data)
        // But for the next segment's file, of which the making may have been under way.
        func contents() throws -> [String: Data] {
            let files = try stage.files { !$0.hasPrefix("prepared.sqlite") }.map {
                ($0.path, try Data(contentsOf: URL(filePath: $0.path)))
            }
            return Dictionary(uniqueKeysWithValues: files)
        }
        let before = try contents()
        try expectRefused()
        let after = try contents()
        #expect(Set(after.keys) == Set(before.keys))
        for (path, bytes) in before { #expect(after[path] == bytes, "\(path) has changed") }
    }

    @Test("file by file: what is written, and what a restart needs", arguments: [".sqlite", ".sqlite-wal"])
    func unlinked(_ suffix: String) throws {
        let file = try #require(try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(suffix) }.last)
        try FileManager.default.removeItem(atPath: file.path)
        try expectRefused()
    }

    @Test("a sealed segment: nothing is accepted until it is back, be it a copy")
    func sealed() throws {
        let wire = try stage.wire()
        let text = String(repeating: "x", count: 8000)
        // Until the second segment begins: one snapshot may have been made by then, and a restart needs the first segment
        // as long as there are not two.
        func segments() throws -> [String] {
            try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite") }.map(\.path).sorted()
        }
        var number = 0
        while try segments().count < 2 {
            number += 1
            try #require(number <= 20)
            try wire.send(show("large\(number)", in: "hall", #""text":"\#(text)""#))
            try wire.settle()
        }
        let first = try #require(try segments().first)
        let bytes = try Data(contentsOf: URL(filePath: first))
        try FileManager.default.removeItem(atPath: first)
        try expectRefused()
        try bytes.write(to: URL(filePath: first))
        try wire.send(show("later", in: "lobby"))
        #expect(try stage.lobby() == Self.kept + ["later"])
    }
}
