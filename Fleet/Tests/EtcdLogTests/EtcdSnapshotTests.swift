import Foundation
import PopupFleet
import PopupJournal
import Testing

@testable import EtcdLog

private let first = LogOwner(high: 1, low: 10)
private let second = LogOwner(high: 2, low: 20)

private func snapshot(_ index: UInt64, _ byteCount: Int) -> LogSnapshot {
    var state = [UInt8](repeating: 0, count: byteCount)
    for place in state.indices { state[place] = UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8) }
    return LogSnapshot(index: index, epoch: 5, time: 1000, chain: 77, state: state)
}

extension EtcdTests {
    /// Snapshots in etcd, and what is removed when there are enough.
    @Suite(.timeLimit(.minutes(10))) struct EtcdSnapshotTests {
        @Test(arguments: [0, 1, 256 << 10, 3 << 20, 5 << 20]) func `a snapshot of any size is read as it was written`(
            byteCount: Int
        ) async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }

            try await log.keep(snapshot(9, byteCount), by: first)

            #expect(try await log.snapshots() == [9])
            #expect(try await log.snapshot(at: 9) == snapshot(9, byteCount))
            #expect(try await log.snapshot(at: 8) == nil)
        }

        @Test func `a snapshot without a manifest is none, and a second maker leaves nothing behind`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            try await log.keep(snapshot(9, 600_000), by: first)
            let keys = try etcd.control(["get", "--prefix", "--keys-only", "/popup-broker/v1/main/snap/"])
            try etcd.control(["del", "/popup-broker/v1/main/snap/0000000000000009/manifest"])
            #expect(try await log.snapshots().isEmpty)

            try await log.keep(snapshot(9, 600_000), by: first)
            try await log.keep(snapshot(9, 600_000), by: second)

            #expect(try etcd.control(["get", "--prefix", "--keys-only", "/popup-broker/v1/main/snap/"]) == keys)
        }

        @Test func `the first snapshot after an entry stays, and a node that has made another one hears of it`()
            async throws
        {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            var (kept, other) = (snapshot(9, 600_000), snapshot(9, 600_000))
            (kept.rules, other.rules) = (1, 1)
            other.state[500_000] ^= 1
            #expect(try await log.digest(ofSnapshotAt: 9) == nil)

            #expect(await log.answer(to: .keep(kept), of: first) == .snapshots([9]))
            #expect(await log.answer(to: .keep(other), of: second) == .snapshotDiffers)
            #expect(await log.answer(to: .keep(kept), of: second) == .snapshots([9]))
            other.rules = 2
            #expect(await log.answer(to: .keep(other), of: second) == .snapshots([9]))

            #expect(try await log.digest(ofSnapshotAt: 9) == kept.digest)
            #expect(try await log.snapshot(at: 9) == kept)
        }

        @Test func `while a node of an older version runs, a newer one leaves the snapshots to it`() async throws {
            let etcd = try await EtcdServers()
            func log(_ version: String) throws -> EtcdLog {
                try EtcdLog(EtcdSettings(endpoints: etcd.endpoints, shard: "main", node: "test", version: version))
            }
            let (older, newer) = (try log("0.9.0"), try log("0.10.0"))
            defer { for log in [older, newer] { log.close() } }
            _ = try await newer.announce(NodeRecord(node: "new", version: "0.10.0", level: 1), under: nil)
            let lease = try await older.announce(NodeRecord(node: "old", version: "0.9.0", level: 1), under: nil)

            #expect(await newer.answer(to: .keep(snapshot(6, 10)), of: first) == .snapshots([]))
            #expect(await older.answer(to: .keep(snapshot(6, 10)), of: second) == .snapshots([6]))

            try await older.withdraw(under: lease)
            // One whose words cannot be read is not waited for.
            try etcd.control(["put", "/popup-broker/v1/main/live/nodes/z", "damaged"])
            #expect(await newer.answer(to: .keep(snapshot(9, 10)), of: first) == .snapshots([6, 9]))
        }

        @Test func `a damaged chunk makes the snapshot unreadable`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            try await log.keep(snapshot(9, 10), by: first)
            let chunk = "/popup-broker/v1/main/snap/0000000000000009/0000000000000001000000000000000a/000000"
            try etcd.control(["put", chunk, "0123456789"])

            await #expect(throws: SharedLogError.unreadable(.damaged)) { try await log.snapshot(at: 9) }
            #expect(await log.answer(to: .readSnapshot, of: first) == .unreadable)
        }

        @Test(arguments: [["put", "/000000", "0123456789"], ["del", "/000000"], ["del", "", "--prefix"]])
        func `a reader goes on from the older snapshot if the newest is damaged`(damage: [String]) async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            func chunks(_ index: UInt64) -> String {
                "/popup-broker/v1/main/snap/000000000000000\(index)/0000000000000001000000000000000a"
            }
            for index in [6, 9] as [UInt64] { try await log.keep(snapshot(index, 600_000), by: first) }

            try etcd.control([damage[0], chunks(9) + damage[1]] + damage[2...])

            #expect(try await log.snapshots() == [6, 9])
            #expect(await log.answer(to: .readSnapshot, of: first) == .snapshot(snapshot(6, 600_000)))
            try etcd.control(["del", "--prefix", chunks(6)])
            #expect(await log.answer(to: .readSnapshot, of: first) == .unreadable)
        }

        @Test func `what neither of the two newest snapshots needs is removed, and a reader goes on from a snapshot`()
            async throws
        {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            var head = try await log.began(by: first)
            while head.index < 12 { head = try await log.appended([1], after: head) }
            for index in [3, 6, 9] as [UInt64] { try await log.keep(snapshot(index, 300_000), by: first) }
            let plan = try #require(LogDropPlan(snapshots: try await log.snapshots()))

            try await log.drop(plan)

            #expect(try await log.snapshots() == [6, 9])
            #expect(try await log.entries(in: 4...99).isEmpty)
            #expect(try await log.entries(in: 7...99).map(\.index) == Array(7...12))
            #expect(await log.answer(to: .readSnapshot, of: first) == .snapshot(snapshot(9, 300_000)))
            let left = try etcd.control([
                "get", "--prefix", "--keys-only", "/popup-broker/v1/main/snap/0000000000000003",
            ])
            #expect(left.isEmpty)
        }

        @Test func `a snapshot whose chunks were removed while it was made does not become complete`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            let late = try #require(try await log.writeChunks(of: snapshot(3, 600_000), by: second, while: []))
            for index in [6, 9] as [UInt64] { try await log.keep(snapshot(index, 10), by: first) }
            try await log.drop(try #require(LogDropPlan(snapshots: try await log.snapshots())))

            try await log.complete(late)

            #expect(try await log.snapshots() == [6, 9])
        }

        @Test func `nothing is removed when a snapshot that the plan relies on is gone`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            var head = try await log.began(by: first)
            while head.index < 12 { head = try await log.appended([1], after: head) }
            for index in [3, 6, 9] as [UInt64] { try await log.keep(snapshot(index, 10), by: first) }
            let plan = try #require(LogDropPlan(snapshots: [3, 6, 9]))
            try etcd.control(["del", "/popup-broker/v1/main/snap/0000000000000006/manifest"])

            try await log.drop(plan)

            #expect(try await log.entries(in: 1...99).count == 12)
            #expect(try await log.snapshots() == [3, 9])
        }
    }
}
