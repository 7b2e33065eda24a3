import Foundation
import PopupProtocol
import Testing
import TestPrograms

/// Damage to a data directory between the kill of a broker and the next start.
@Suite("A data directory damaged while no broker used it", .ownThread)
struct DamagedDirectoryTests {
    /// Makes segments, snapshots and a WAL, kills the broker and returns the ids in the order in which they were
    /// accepted.
    private func fill(_ stage: Stage) throws -> [String] {
        try stage.startBroker()
        let wire = try stage.wire()
        let text = String(repeating: "x", count: 4000)
        let ids = (1...120).map { "p\($0)" }
        for id in ids {
            try wire.send(show(id, in: "lobby", #""text":"\#(id) \#(text)""#))
            // A batch each.
            try wire.settle()
            // A snapshot gives way to all else. The first is waited for, so that another is due in the second half.
            if id == "p60" { try stage.brokerLogs("snapshot made") }
        }
        try stage.brokerLogs("snapshot made", times: 2)
        try stage.killBroker()
        return ids
    }

    /// Whether the newest snapshot has all that the WAL has.
    private func isAllInSnapshot(_ stage: Stage) throws -> Bool {
        struct Info: Decodable {
            struct Snapshot: Decodable { var sequence: Int }
            var lastSequence: Int
            var snapshots: [Snapshot]
        }
        let info = try ChildProcess(Programs.broker, ["journal", "info", "--json", stage.data])
            .result(before: .after(.seconds(60)))
        let described = try JSONDecoder().decode(Info.self, from: Data(info.output.utf8))
        return described.snapshots.contains { $0.sequence == described.lastSequence }
    }

    private func stage() throws -> Stage {
        try Stage(policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"])
    }

    /// Starts a broker on what is left of the folder: the damage is told, what is there was accepted and is in order,
    /// and the next start is clean. Returns what is there.
    private func recover(_ stage: Stage, _ ids: [String]) throws -> [String] {
        let verified = try stage.verify()
        #expect(verified.exit == .code(65), "\(verified)")
        try stage.startBroker()
        try stage.brokerLogs("the journal is not as it was written")
        let left = try stage.lobby()
        #expect(left == ids.filter(Set(left).contains))

        // It goes on, and what is accepted now is there after the next kill.
        let wire = try stage.wire()
        try wire.send(show("later", in: "lobby"))
        try wire.settle()
        #expect(try stage.lobby() == left + ["later"])
        try stage.killBroker()
        #expect(try stage.verify().exit == .code(0))
        try stage.startBroker()
        #expect(!stage.log.contains("the journal is not as it was written"))
        #expect(try stage.lobby() == left + ["later"])
        return left
    }

    @Test("in the WAL, cut off: what was committed before the cut is there")
    func cutWAL() throws {
        var stage = try stage()
        var ids = try fill(stage)
        // On a busy machine, the last snapshot may come so late that it has all popups.
        for _ in 0..<10 where try isAllInSnapshot(stage) {
            stage = try self.stage()
            ids = try fill(stage)
        }
        let wal = try #require(try stage.files { $0.hasSuffix(".sqlite-wal") && $0.hasPrefix("journal-") }.last)
        try wal.cut(to: 2, of: 3)
        let left = try recover(stage, ids)
        #expect(!left.isEmpty && left.count < ids.count)
        #expect(left == Array(ids.prefix(left.count)))
    }

    @Test("in a snapshot, cut off: the older one and the batches since give all of it")
    func cutSnapshot() throws {
        let stage = try stage()
        let ids = try fill(stage)
        let snapshot = try #require(try stage.files { $0.hasPrefix("snapshot-") }.last)
        try snapshot.cut(to: 1, of: 2)
        #expect(try recover(stage, ids) == ids)
    }

    @Test("in a snapshot, a flipped bit: the older one and the batches since give all of it")
    func flippedSnapshot() throws {
        let stage = try stage()
        let ids = try fill(stage)
        let snapshot = try #require(try stage.files { $0.hasPrefix("snapshot-") }.last)
        try snapshot.flip(at: 1, of: 2)
        #expect(try recover(stage, ids) == ids)
    }

    @Test("in the last segment's database, cut off: what is whole is there")
    func cutSegment() throws {
        let stage = try stage()
        let ids = try fill(stage)
        let segment = try #require(try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite") }.last)
        try segment.cut(to: 1, of: 2)
        _ = try recover(stage, ids)
    }

    @Test("in the WAL, a flipped bit: all batches but the one that it hit are there")
    func flippedSegment() throws {
        let stage = try stage()
        let ids = try fill(stage)
        let segment = try #require(try stage.files { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite-wal") }.last)
        try segment.flip(at: 1, of: 2)
        #expect(try recover(stage, ids).count >= ids.count - 1)
    }

    @Test("by its mark being gone: that is told, and nothing is lost")
    func noMark() throws {
        let stage = try stage()
        let ids = try fill(stage)
        try FileManager.default.removeItem(atPath: stage.data + "/mark")
        #expect(try recover(stage, ids) == ids)
    }
}
