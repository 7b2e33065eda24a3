import Foundation
import PopupFleet
import PopupJournal
import SwiftProtobuf
import Testing

@testable import EtcdLog

/// How much the nodes of a shard write for a snapshot that all of them have.
@Suite(.timeLimit(.minutes(10))) struct SnapshotMakerTests {
    private static let chunks = 5
    private let snapshot = LogSnapshot(
        index: 9, epoch: 5, time: 1000, chain: 7, state: [UInt8](repeating: 3, count: chunks * EtcdLimits.chunkBytes),
        rules: 1)

    private func log(_ node: String, in etcd: OddEtcd) throws -> EtcdLog {
        EtcdLog(try EtcdSettings(endpoints: ["http://127.0.0.1:1"], shard: "main", node: node), client: etcd)
    }

    @Test func `of three nodes that have the same snapshot at the same time, one writes it`() async throws {
        let etcd = OddEtcd(nil)
        let logs = try ["a", "b", "c"].map { try log($0, in: etcd) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, log) in logs.enumerated() {
                group.addTask { [snapshot] in
                    try await log.keep(snapshot, by: LogOwner(high: UInt64(number), low: 1))
                }
            }
            try await group.waitForAll()
        }

        let chunks = etcd.puts.count { String(decoding: $0.suffix(7), as: UTF8.self).hasPrefix("/00000") }
        #expect(chunks == Self.chunks)
        #expect(etcd.puts.count { $0 == logs[0].keys.manifest(9) } == 1)
        #expect(try await logs[0].snapshot(at: 9) == snapshot)
        // Whoever comes later compares, and writes nothing.
        let before = etcd.puts.count
        let late = LogOwner(high: 8, low: 8)
        for log in logs { #expect(await log.answer(to: .keep(snapshot), of: late) == .snapshots([9])) }
        #expect(etcd.puts.count == before)
    }

    @Test func `a maker whose time has ended stops at the next chunk, and the next one makes it`() async throws {
        let etcd = OddEtcd(nil)
        let log = try log("a", in: etcd)
        // The right to make it, and two chunks.
        etcd.remove(log.keys.maker, afterPuts: 3)

        #expect(await log.answer(to: .keep(snapshot), of: LogOwner(high: 1, low: 1)) == .snapshots([]))

        #expect(etcd.puts.count == 3)
        #expect(await log.answer(to: .keep(snapshot), of: LogOwner(high: 2, low: 2)) == .snapshots([9]))
        #expect(etcd.puts.count == 3 + 1 + Self.chunks + 1)
    }

    @Test func `while another process makes a snapshot, nothing is written`() async throws {
        let etcd = OddEtcd(nil)
        let log = try log("a", in: etcd)
        let making = Etcdserverpb_PutRequest.with {
            $0.key = log.keys.maker
            $0.value = Data([1])
            $0.lease = 77
        }
        _ = try await etcd.call(.put, making, deadline: .seconds(1))

        #expect(await log.answer(to: .keep(snapshot), of: LogOwner(high: 1, low: 1)) == .snapshots([]))

        #expect(etcd.puts == [log.keys.maker])
    }

    @Test func `a snapshot that is earlier than one of the log is not written`() async throws {
        let etcd = OddEtcd(nil)
        let log = try log("a", in: etcd)
        var later = snapshot
        later.index = 10
        try await log.keep(later, by: LogOwner(high: 1, low: 1))
        let before = etcd.puts.count

        #expect(await log.answer(to: .keep(snapshot), of: LogOwner(high: 1, low: 1)) == .snapshots([10]))

        #expect(etcd.puts.count == before)
    }
}
