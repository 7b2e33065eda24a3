import Foundation
import PopupJournal
import Testing

@testable import EtcdLog

/// The comparisons in the transactions of a log, tried with copies of the transactions that arrive late.
@Suite(.timeLimit(.minutes(10))) struct FenceTests {
    private let first = LogOwner(high: 1, low: 10)
    private let second = LogOwner(high: 2, low: 20)
    private let etcd = OddEtcd(nil)

    private func log(_ node: String) throws -> EtcdLog {
        EtcdLog(try EtcdSettings(endpoints: ["http://127.0.0.1:1"], shard: "main", node: node), client: etcd)
    }

    /// Carries out all transactions once more, the last one first, and checks that they change nothing.
    private func repeatAll(_ log: EtcdLog) async throws {
        let (head, entries) = (try await log.head(), try await log.entries(in: 1...9))
        for late in etcd.transactions.reversed() { _ = try await etcd.call(.txn, late, deadline: .seconds(1)) }
        #expect(try await log.head() == head)
        #expect(try await log.entries(in: 1...9) == entries)
    }

    @Test func `late copies of writes change nothing, whichever node has the claim`() async throws {
        let log = try log("a")
        var head = try await log.began(by: first)
        for number in 1...3 as ClosedRange<UInt8> {
            head = try await log.appended([number], after: head)
            try await repeatAll(log)
        }
        let advance = HeadWrite.advance(after: head, to: head.time + 1, horizon: head.horizon + 1)
        #expect(try await log.write(advance) == .succeeded)
        try await repeatAll(log)

        // The claim is another's now.
        try await log.releaseClaim(of: first)
        let other = try self.log("b")
        _ = try await other.takenOver(by: second)
        try await repeatAll(other)
        let stale = HeadWrite.append([9], after: advance.new, at: advance.new.time, horizon: advance.new.horizon)
        #expect(try await log.write(stale) == .refused(try #require(try await other.head())))
    }

    @Test func `only the holder of the claim takes over`() async throws {
        let (log, other) = (try log("a"), try log("b"))
        try await log.create(wall: 5, time: 1000)
        #expect(try await log.claim(as: first))
        let head = try #require(try await log.head())
        let takeOver = HeadWrite.takeOver(after: head, by: second, epoch: 9, at: 1000, horizon: 4000)

        #expect(try await other.write(takeOver) == .refused(head))
        #expect(try await log.entries(in: 1...9).isEmpty)
    }

    @Test func `nothing is removed for snapshots that are not there`() async throws {
        let log = try log("a")
        var head = try await log.began(by: first)
        for number in 1...3 as ClosedRange<UInt8> { head = try await log.appended([number], after: head) }

        try await log.drop(try #require(LogDropPlan(snapshots: [2, 3])))

        #expect(try await log.entries(in: 1...9).map(\.index) == [1, 2, 3, 4])
    }
}
