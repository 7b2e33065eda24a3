import PopupJournal
import Testing

@testable import PopupFleet

/// The snapshot that a node owes the log: made after its entry, offered after a delay, and kept until the log has it.
@Suite struct DueSnapshotTests {
    private struct Nothing: ReplicatedState {
        static let rulesVersion: UInt32 = 1

        init() {}
        init(snapshot: [UInt8]) {}
        var nextDeadline: Int64? { nil }
        mutating func advance(to time: Int64) {}
        mutating func apply(_ entry: LogEntry) {}
        func snapshot() -> [UInt8] { [] }
    }

    private func due(after count: UInt64) throws -> DueSnapshot {
        var due = DueSnapshot(SnapshotSchedule(bytes: 1000, entries: 2))
        for index in 1...count {
            let entry = LogEntry(.batch, epoch: 1, index: index, time: 0, horizon: 0, chain: 0)
            var replica = Replica<Nothing>()
            try replica.restore(LogSnapshot(index: index, epoch: 1, time: 0, chain: 0, state: [], rules: 1))
            try due.count(entry, of: replica)
        }
        return due
    }

    @Test func `it is made after its entry, stays as it is, and ends when the log has a later one`() throws {
        #expect(try due(after: 1).snapshot == nil)
        #expect(try due(after: 2).snapshot?.index == 2)
        var many = try due(after: 6)
        #expect(many.snapshot?.index == 2)
        many.update(kept: [1], retryAt: 0)
        #expect(many.snapshot?.index == 2)
        many.update(kept: [1, 3], retryAt: 0)
        #expect(many.snapshot == nil)
    }

    @Test func `it is offered after a delay, and again if the log has left it out`() throws {
        var due = try due(after: 2)
        func isOffered(at boot: Int64, delay: Int64 = 500) -> Bool { due.offer(at: boot, delay: delay) != nil }
        // The first call begins the delay.
        #expect([isOffered(at: 100), isOffered(at: 599, delay: 0), isOffered(at: 600)] == [false, false, true])

        due.update(kept: [], retryAt: 10_600)
        #expect([isOffered(at: 10_599), isOffered(at: 10_600)] == [false, true])

        due.update(kept: [2], retryAt: 20_000)
        #expect(due.snapshot == nil && !isOffered(at: 20_000))
    }
}
