import Foundation
import PopupFleet
import PopupJournal
import Synchronization
import Testing

@testable import EtcdLog

private let first = LogOwner(high: 1, low: 10)
private let second = LogOwner(high: 2, low: 20)

extension EtcdServers {
    /// Returns the log of a shard. Its deadlines and its lease are for a machine under load.
    func log(
        _ shard: String = "main", node: String = "a", through endpoints: [String]? = nil, lease: Int = 60,
        deadline: Duration = .seconds(30)
    ) throws -> EtcdLog {
        var settings = try EtcdSettings(
            endpoints: endpoints ?? self.endpoints, shard: shard, node: node, leaseSeconds: lease)
        settings.deadline = deadline
        settings.writeDeadline = deadline
        return try EtcdLog(settings)
    }
}

extension EtcdLog {
    /// Creates the log, and makes an owner of it. Returns the head.
    func began(by owner: LogOwner, at time: Int64 = 1000) async throws -> LogHead {
        try await create(wall: 5, time: time)
        return try await takenOver(by: owner)
    }

    /// Makes an owner of it. Returns the head.
    func takenOver(by owner: LogOwner) async throws -> LogHead {
        #expect(try await claim(as: owner))
        let head = try #require(try await head())
        let write = HeadWrite.takeOver(after: head, by: owner, epoch: 1, at: head.horizon, horizon: head.horizon)
        #expect(write.outcome(of: try await self.write(write)) == .committed)
        return write.new
    }

    /// Appends a batch. Returns the head.
    func appended(_ commands: [UInt8], after head: LogHead) async throws -> LogHead {
        let write = HeadWrite.append(commands, after: head, at: head.time, horizon: head.horizon)
        #expect(write.outcome(of: try await self.write(write)) == .committed)
        return write.new
    }
}

/// What ends a task between two of its calls; cancelling it would cut one off.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

/// All tests with an etcd: one after another, since each member wants memory and a disk.
@Suite(.serialized) enum EtcdTests {}

extension EtcdTests {
    /// What a log on one member of a real etcd does.
    @Suite(.timeLimit(.minutes(10))) struct EtcdLogTests {
        @Test func `a log is created once, taken over, appended to and read`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            #expect(try await log.head() == nil)
            var head = try await log.began(by: first)
            for number in 1...40 { head = try await log.appended([UInt8(number)], after: head) }

            await #expect(throws: EtcdProblem.exists("main")) { try await log.create(wall: 9, time: 0) }
            #expect(try await log.head() == head)
            var replica: [LogEntry] = []
            while replica.count < 41 { replica += try await log.entries(in: UInt64(replica.count + 1)...100) }
            #expect(replica.map(\.index) == Array(1...41))
            #expect(
                replica[0].kind == .takeOver && replica[40].commands == [40] && replica[40].chainAfter == head.chain)
            #expect(try await log.entries(in: 42...50).isEmpty)
            #expect(try await etcd.log("other").head() == nil)
        }

        @Test func `a page of the largest entries is read`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            var head = try await log.began(by: first)
            let batch = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 1...EtcdLimits.entriesPerPage { head = try await log.appended(batch, after: head) }

            let entries = try await log.entries(in: 2...head.index)

            #expect(entries.map(\.index) == Array(2...head.index))
            #expect(entries.allSatisfy { $0.commands == batch })
        }

        @Test func `over a slow path, all of the largest entries are read within the deadlines of a node`() async throws
        {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            // Four of them need more than 2 s.
            let proxy = CutProxy(to: etcd.ports[0], bytesPerSecond: 2_000_000)
            let slow = try EtcdLog(EtcdSettings(endpoints: [proxy.endpoint], shard: "main", node: "b"))
            defer {
                log.close()
                slow.close()
            }
            var head = try await log.began(by: first)
            let batch = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<EtcdLimits.entriesPerPage { head = try await log.appended(batch, after: head) }

            var read: [LogEntry] = []
            try await eventually("all entries are read") {
                let range = UInt64(read.count + 1)...head.index
                if case .entries(let page) = await slow.answer(to: .readEntries(range), of: second) { read += page }
                return read.count == Int(head.index)
            }

            #expect(read.map(\.index) == Array(1...head.index))
        }

        @Test func `an append with a later time or a hand-over replaces the head, and a hand-over ends the claim`()
            async throws
        {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            let head = try await log.began(by: first)
            let advance = HeadWrite.advance(after: head, to: 2000, horizon: 5000)
            #expect(try await log.write(advance) == .succeeded)
            #expect(try await log.renewClaim(of: first))

            #expect(try await log.write(.handOver(after: advance.new, at: 2500)) == .succeeded)

            #expect(try await log.head()?.horizon == 2500)
            #expect(try await log.renewClaim(of: first) == false)
            #expect(try await log.claim(as: second))
        }

        @Test func `the same bytes again are the same entry, and their outcome is that they are in`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            let head = try await log.began(by: first)
            let write = HeadWrite.append([7], after: head, at: 1000, horizon: 4000)
            #expect(write.outcome(of: try await log.write(write)) == .committed)

            #expect(write.outcome(of: try await log.write(write)) == .committed)

            #expect(try await log.entries(in: 1...9).count == 2)
        }

        @Test func `an append whose answer is lost is unknown, and is in when it is repeated`() async throws {
            let etcd = try await EtcdServers()
            let proxy = CutProxy(to: etcd.ports[0])
            let (log, direct) = (try etcd.log(through: [proxy.endpoint]), try etcd.log())
            defer {
                log.close()
                direct.close()
            }
            let head = try await log.began(by: first)
            let write = HeadWrite.append([7], after: head, at: 1000, horizon: 4000)
            proxy.loseAnswers(true)
            await #expect { try await log.write(write) } throws: {
                if case SharedLogError.unknown = $0 { true } else { false }
            }
            #expect(await log.answer(to: .write(write), of: first) == .unknown)
            try await eventually("the request arrived") { try await direct.head() == write.new }
            proxy.loseAnswers(false)

            try await eventually("it is known to be in") {
                switch await log.answer(to: .write(write), of: first) {
                case .write(let answer): write.outcome(of: answer) == .committed
                default: false
                }
            }
            #expect(try await direct.entries(in: 1...9).map(\.commands) == [[], [7]])
        }

        @Test func `an owner that was overtaken appends nothing any more`() async throws {
            let etcd = try await EtcdServers()
            let (log, other) = (try etcd.log(), try etcd.log(node: "b"))
            defer {
                log.close()
                other.close()
            }
            let old = try await log.began(by: first)
            #expect(try await other.claim(as: second) == false)
            _ = try etcd.control(["del", "/popup-broker/v1/main/live/claim"])
            let new = try await other.takenOver(by: second)

            let write = HeadWrite.append([7], after: old, at: 1000, horizon: 4000)

            #expect(write.outcome(of: try await log.write(write)) == .overtaken(by: new))
            #expect(try await log.entries(in: 1...9).map(\.kind) == [.takeOver, .takeOver])
        }

        @Test func `a take-over without the claim is no refusal for good: it may still be carried out`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            try await log.create(wall: 5, time: 1000)
            let head = try #require(try await log.head())
            let write = HeadWrite.takeOver(after: head, by: first, epoch: 9, at: 1000, horizon: 4000)

            #expect(write.outcome(of: try await log.write(write)) == .unknown)

            #expect(try await log.claim(as: first))
            #expect(write.outcome(of: try await log.write(write)) == .committed)
        }

        @Test func `a claim that nobody renews ends, which is seen, and another may claim`() async throws {
            let etcd = try await EtcdServers()
            // Long enough for a machine under load to renew it.
            let (log, other) = (try etcd.log(lease: 20), try etcd.log(node: "b", lease: 20))
            defer {
                log.close()
                other.close()
            }
            let hints = other.hints()
            let seen = Task { for await hint in hints where hint == .claimEnded { break } }
            try await log.create(wall: 5, time: 1000)
            #expect(try await log.claim(as: first))
            #expect(try await other.claim(as: second) == false)
            for _ in 0..<3 {
                try await Task.sleep(for: .seconds(1))
                #expect(try await log.renewClaim(of: first))
            }
            #expect(try await other.claimant() == "a")

            try await eventually("the claim ends") { try await other.claim(as: second) }

            #expect(try await log.renewClaim(of: first) == false)
            await seen.value
        }

        @Test func `a claim that is given back ends at once, and that of another one stays`() async throws {
            let etcd = try await EtcdServers()
            let (log, other) = (try etcd.log(), try etcd.log(node: "b"))
            defer {
                log.close()
                other.close()
            }
            try await log.create(wall: 5, time: 1000)
            #expect(try await log.claim(as: first))

            try await other.releaseClaim(of: second)
            #expect(try await log.renewClaim(of: first))
            #expect(await log.answer(to: .releaseClaim, of: first) == .claim(isOwn: false))

            #expect(try await log.claimant() == nil)
            #expect(try etcd.control(["lease", "list"]).contains("found 0 leases"))
            #expect(try await other.claim(as: second))
        }

        @Test func `what is appended is seen by who watches, also after a compaction`() async throws {
            let etcd = try await EtcdServers()
            let (log, other) = (try etcd.log(), try etcd.log())
            defer {
                log.close()
                other.close()
            }
            var head = try await log.began(by: first)
            var seen = other.hints().makeAsyncIterator()
            // The watch begins at some moment after the call: until then nothing is seen.
            let isEnough = Flag()
            let writes = Task {
                while !isEnough.isSet {
                    head = try await log.appended([1], after: head)
                    try etcd.control(["compact", "\(head.index)"])
                }
                return head
            }
            var indices: [UInt64] = []
            while indices.count < 5, let hint = await seen.next() {
                if case .entry(let entry) = hint { indices.append(entry.index) }
            }
            isEnough.set()
            let last = try await writes.value

            #expect(indices == indices.sorted() && Set(indices).count == 5)
            #expect(try await other.entries(in: last.index...last.index).map(\.index) == [last.index])
        }

        @Test func `when the quota is reached, an append is unknown and not lost`() async throws {
            let etcd = try await EtcdServers(options: ["--quota-backend-bytes", "4000000"])
            let log = try etcd.log()
            defer { log.close() }
            var head = try await log.began(by: first)
            let commands = [UInt8](repeating: 3, count: 500_000)
            var full: HeadWrite?
            // etcd looks at the size of its file as it was at the last commit to it: on a busy machine that is long ago.
            for _ in 0..<200 where full == nil {
                let write = HeadWrite.append(commands, after: head, at: 1000, horizon: 4000)
                switch await log.answer(to: .write(write), of: first) {
                case .write(.succeeded): head = write.new
                case .unknown: full = write
                case let other: Issue.record("\(other)")
                }
            }
            let write = try #require(full)
            await #expect(throws: EtcdProblem.full) { try await log.check() }
            #expect([write.old, write.new].contains(try #require(try await log.head())))
            #expect(await log.answer(to: .write(write), of: first) != .write(.refused(write.old)))

            // An operator: all entries but the last go, and the alarm.
            let last = String(decoding: log.keys.entry(head.index), as: UTF8.self)
            try etcd.control(["del", "/popup-broker/v1/main/live/log/", last])
            let revision = try #require(
                try etcd.control(["endpoint", "status", "-w", "fields"]).split(separator: "\n")
                    .first { $0.hasPrefix("\"Revision\"") }?.split(separator: " ").last)
            try etcd.control(["compact", "--physical", "\(revision)"])
            try etcd.control(["defrag"])
            try etcd.control(["alarm", "disarm"])

            try await eventually("the append is in") {
                if case .write(let answer) = await log.answer(to: .write(write), of: first) {
                    write.outcome(of: answer) == .committed
                } else {
                    false
                }
            }
            #expect(try await log.entries(in: write.new.index...999).count == 1)
        }
    }
}
