import Foundation
import PopupJournal
import Testing

@testable import EtcdLog

/// The reads of a log over a path that does not carry a whole page in time.
@Suite(.timeLimit(.minutes(10))) struct SlowPathTests {
    private let owner = LogOwner(high: 1, low: 10)

    /// Returns a log over a path that carries answers of some bytes.
    private func log(carrying bytes: Int) throws -> (log: EtcdLog, etcd: OddEtcd) {
        let etcd = OddEtcd(nil, carries: bytes)
        let settings = try EtcdSettings(endpoints: ["http://127.0.0.1:1"], shard: "main", node: "a")
        return (EtcdLog(settings, client: etcd), etcd)
    }

    @Test func `all entries are read, in pages that the path carries`() async throws {
        let (log, etcd) = try log(carrying: 350_000)
        var head = try await log.began(by: owner)
        let batch = [UInt8](repeating: 7, count: 100_000)
        for _ in 0..<40 { head = try await log.appended(batch, after: head) }
        let before = etcd.calls

        var indices: [UInt64] = []
        var longest = 0
        while indices.count < 41 {
            let page = try await log.entries(in: UInt64(indices.count + 1)...head.index)
            indices += page.map(\.index)
            longest = max(longest, page.count)
        }

        #expect(indices == Array(1...41))
        // It grows again to what the path carries, and a page that is too long costs one call.
        #expect(longest == 4 || longest == 3)
        #expect(etcd.calls - before < 35)
    }

    @Test func `a snapshot is read to its end, although pages fail meanwhile`() async throws {
        let (log, _) = try log(carrying: 900_000)
        let state = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 >> 10) }
        let snapshot = LogSnapshot(index: 9, epoch: 5, time: 1000, chain: 7, state: state)
        try await log.keep(snapshot, by: owner)

        #expect(try await log.snapshot(at: 9) == snapshot)
    }

    @Test func `a path that does not carry a single entry is one without an answer`() async throws {
        let (log, etcd) = try log(carrying: 90_000)
        let head = try await log.appended([UInt8](repeating: 7, count: 100_000), after: log.began(by: owner))
        let before = etcd.calls

        await #expect(throws: SharedLogError.self) { try await log.entries(in: 2...head.index) }

        // 16, 8, 4, 2 and 1 entries.
        #expect(etcd.calls - before == 5)
    }

    @Test func `the length of pages is halved by a read that fails, and grows by one`() {
        let length = PageLength(longest: 16)
        #expect(length.shrink(after: 16))
        #expect(length.count == 8)
        length.grow(after: 8)
        #expect(length.count == 9)
        // Two reads at once.
        #expect(length.shrink(after: 8))
        length.grow(after: 3)
        #expect(length.count == 4)
        #expect(!length.shrink(after: 1))
        for count in 1...20 { length.grow(after: count) }
        #expect(length.count == 16)
    }
}
