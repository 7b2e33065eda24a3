import PopupJournal
import Testing

@testable import FleetService

/// What a check finds wrong with a log.
struct LogCheckTests {
    private let entries: [LogEntry]
    private let head: LogHead

    init() {
        var head = LogHead(
            level: 1, epoch: 1, index: 0, owner: LogOwner(high: 0, low: 0), time: 1000, horizon: 1000, chain: 0)
        let takeOver = HeadWrite.takeOver(
            after: head, by: LogOwner(high: 1, low: 1), epoch: 5, at: 2000, horizon: 5000)
        head = takeOver.new
        var entries = [takeOver.entry!]
        for number in 1...4 as ClosedRange<UInt8> {
            let append = HeadWrite.append([number], after: head, at: 2000 + Int64(number), horizon: 6000)
            head = append.new
            entries.append(append.entry!)
        }
        self.entries = entries
        self.head = head
    }

    private func snapshot(_ index: UInt64) -> LogSnapshot {
        let entry = entries[Int(index) - 1]
        return LogSnapshot(index: index, epoch: entry.epoch, time: entry.time, chain: entry.chainAfter, state: [1])
    }

    @Test func `entries that continue one another up to the head are a log`() {
        var check = LogCheck(nil)
        for entry in entries { #expect(check.follow(entry) == nil) }
        #expect(check.end(at: head) == nil)
    }

    @Test(
        arguments: [
            { $0.index += 1 }, { $0.chain += 1 }, { $0.time = 1 }, { $0.epoch += 1 },
        ] as [@Sendable (inout LogEntry) -> Void])
    func `an entry that does not continue the one before is found`(change: @Sendable (inout LogEntry) -> Void) {
        var check = LogCheck(nil)
        var changed = entries[1]
        change(&changed)
        #expect(check.follow(entries[0]) == nil)
        #expect(check.follow(changed) != nil)
    }

    @Test func `a head with another chain is found`() {
        var check = LogCheck(snapshot(5))
        var other = head
        other.chain += 1
        #expect(check.end(at: head) == nil)
        #expect(check.end(at: other) != nil)
        #expect(check.follow(entries[4]) != nil)
    }

    @Test func `a check begins after the oldest snapshot that is whole and has its next entry`() async throws {
        let log = ScriptedLog()
        log.with {
            $0.entries = Array(entries.dropFirst(3))
            $0.head = head
            $0.snapshots = [1: snapshot(1), 3: snapshot(3), 4: snapshot(4)]
            $0.torn = [2]
        }
        #expect(try await LogCheck.beginning(of: log, endingAt: head).next == 4)

        log.with { $0.snapshots = [5: snapshot(5)] }
        #expect(try await LogCheck.beginning(of: log, endingAt: head).next == 6)
    }

    /// Returns what a check finds in the log, after a change that happens when the first entry was read.
    private func finding(_ change: @escaping (inout ScriptedLog.Content) -> Void) async throws -> LogCheck.Finding? {
        let log = ScriptedLog()
        log.with {
            $0.entries = Array(entries.prefix(1))
            $0.head = head
        }
        var check = LogCheck(nil)
        var read: [UInt64] = []
        let found = try await check.read(log, to: head) { entry in
            read.append(entry.index)
            if entry.index == 1 { log.with { change(&$0) } }
        }
        #expect(found != nil || read == Array(1...5))
        return found
    }

    @Test func `entries that are removed while they are read are no damage`() async throws {
        #expect(try await finding { $0.entries = Array(entries.dropFirst()) } == nil)
        // They are needless: two snapshots are later.
        #expect(
            try await finding {
                $0.entries = Array(entries.dropFirst(3))
                $0.snapshots = [3: snapshot(3), 5: snapshot(5)]
            } == .removed)
        // The older of the two is before the second entry, or there is only one.
        for snapshots in [[1, 5], [3]] as [[UInt64]] {
            let found = try await finding { content in
                for index in snapshots { content.snapshots[index] = snapshot(index) }
            }
            #expect(found == .broken("entry 2 is missing"))
        }
    }

    @Test func `a check of a log without snapshots begins with the first entry`() async throws {
        let log = ScriptedLog()
        #expect(try await LogCheck.beginning(of: log, endingAt: head).next == 1)
    }
}
