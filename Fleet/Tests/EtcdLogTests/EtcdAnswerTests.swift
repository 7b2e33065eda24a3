import Foundation
import PopupJournal
import SwiftProtobuf
import Testing

@testable import EtcdLog

private let owner = LogOwner(high: 1, low: 10)

private func snapshot(_ index: UInt64) -> LogSnapshot {
    LogSnapshot(index: index, epoch: 6, time: 1000, chain: 7, state: [1, 2, 3])
}

/// Returns the write that follows a head: first a take-over, then appends.
private func nextWrite(_ number: Int, after head: LogHead) -> HeadWrite {
    let time = head.horizon
    guard number > 0 else { return .takeOver(after: head, by: owner, epoch: 6, at: time, horizon: time) }
    return .append([1, 2], after: head, at: time, horizon: time)
}

/// The answers of an etcd that is broken or hostile: a fuzz test without coverage. A trap ends the tests: with the variable
/// `TRACE_INPUTS`, the last line names the seed.
@Suite(.timeLimit(.minutes(10))) struct EtcdAnswerTests {
    private static let seeds: Range<UInt64> = 0..<300
    private static let isTraced = ProcessInfo.processInfo.environment["TRACE_INPUTS"] != nil

    private static func log(_ etcd: OddEtcd) throws -> EtcdLog {
        EtcdLog(try EtcdSettings(endpoints: ["http://127.0.0.1:1"], shard: "main", node: "a"), client: etcd)
    }

    /// All calls of nodes and operators to a log, one after the other. If one fails, it says why, and the next one follows.
    private struct Asking {
        let log: EtcdLog
        /// The calls that had a result.
        var successes = 0
        /// The calls that failed.
        var failures = 0
        /// The violations of what each call promises, as text.
        var faults: [String] = []

        mutating func call<Result>(
            _ body: (EtcdLog) async throws -> Result, _ fault: (Result) -> String? = { _ in nil }
        ) async -> Result? {
            do {
                let result = try await body(log)
                successes += 1
                if let fault = fault(result) { faults.append(fault) }
                return result
            } catch let error as SharedLogError {
                report(error.description)
            } catch let error as EtcdProblem {
                report(error.description)
            } catch {
                faults.append("an error of another kind: \(error)")
            }
            return nil
        }

        private mutating func report(_ description: String) {
            failures += 1
            let isLine = description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            if !isLine || !description.contains(" ") { faults.append("no sentence: \(description)") }
        }

        mutating func all() async {
            _ = await call { try await $0.create(wall: 5, time: 1000) }
            _ = await call { try await $0.check() }
            _ = await call { try await $0.claim(as: owner) }
            let head = await call({ try await $0.head() }) { Self.fault(in: $0) }
            var newest =
                (head ?? nil) ?? LogHead(level: 1, epoch: 5, index: 0, owner: owner, time: 0, horizon: 0, chain: 0)
            for number in 0..<3 {
                let write = nextWrite(number, after: newest)
                _ = await call({ try await $0.write(write) }) { answer in
                    guard case .refused(let head) = answer else { return nil }
                    return Self.fault(in: head)
                }
                newest = write.new
            }
            _ = await call({ try await $0.entries(in: 1...9) }) { Self.fault(in: $0) }
            for index in 1...3 as ClosedRange<UInt64> {
                _ = await call { try await $0.keep(snapshot(index), by: owner) }
            }
            let snapshots = await call { try await $0.snapshots() } ?? []
            for index in [1] + snapshots.prefix(4) {
                _ = await call({ try await $0.snapshot(at: index) }) { found in
                    found.map { $0 == snapshot($0.index) } == false ? "a snapshot that nobody has kept" : nil
                }
            }
            if let plan = LogDropPlan(snapshots: snapshots) { _ = await call { try await $0.drop(plan) } }
            _ = await call { try await $0.configure([7]) }
            _ = await call { try await $0.askToHandOver(epoch: 6, forgottenAfter: 9) }
            _ = await call { try await $0.askForLevel(2, forgottenAfter: 9) }
            _ = await call { try await $0.orders() }
            let record = NodeRecord(node: "a", version: "1", level: 1)
            let lease = await call { try await $0.announce(record, under: nil) } ?? 1
            _ = await call { try await $0.announce(record, under: lease) }
            _ = await call { try await $0.nodes() }
            _ = await call { try await $0.renewClaim(of: owner) }
            _ = await call { try await $0.releaseClaim(of: LogOwner(high: 3, low: 3)) }
            _ = await call { try await $0.claimant() }
            _ = await call { try await $0.withdraw(under: lease) }
            _ = await log.statusOfMembers()
            _ = await log.problem()
        }

        private static func fault(in head: LogHead?) -> String? {
            guard let head else { return nil }
            return (try? LogHead(head.bytes)) == head ? nil : "a head that is not read as it was written: \(head)"
        }

        private static func fault(in entries: [LogEntry]) -> String? {
            for (place, entry) in entries.enumerated() {
                guard entry.index == UInt64(place) + 1 else { return "entry \(entry.index) at the place \(place + 1)" }
                guard (try? LogEntry(entry.bytes)) == entry else { return "an entry is not read as it was written" }
            }
            return nil
        }
    }

    @Test func `as they are, lead to a result of each call`() async throws {
        let etcd = OddEtcd(nil)
        var asking = Asking(log: try Self.log(etcd))

        await asking.all()

        #expect(asking.failures == 0 && asking.faults.isEmpty, "\(asking.faults)")
        #expect(asking.successes == 28)
        // The two newest snapshots stay, and the entry after the older one.
        #expect(try await asking.log.snapshots() == [2, 3])
        #expect(try await asking.log.entries(in: 3...9).map(\.index) == [3])
        #expect(try await asking.log.orders() == LogOrders(configuration: [7], handOver: 6, level: 2))
        // What it has said of itself is taken back, and the claim of another one is not.
        #expect(try await asking.log.nodes().isEmpty)
        #expect(try await asking.log.renewClaim(of: owner))
    }

    @Test func `to a configuration that was held back on its way leave a later one as it is`() async throws {
        let etcd = OddEtcd(nil)
        let log = try Self.log(etcd)
        // The last one removes the configuration.
        for configuration in [[1], [2], nil] as [[UInt8]?] {
            #expect(try await log.configure(configuration))
            for late in etcd.transactions.reversed() { _ = try await etcd.call(.txn, late, deadline: .seconds(1)) }
            #expect(try await log.orders().configuration == configuration)
        }
        // The answer to the first attempt was lost.
        #expect(try await log.configure([2]))
        #expect(try await log.configure([2]))
    }

    @Test func `with a damaged entry that no snapshot needs, do not keep a node from removing it`() async throws {
        let etcd = OddEtcd(nil)
        let log = try Self.log(etcd)
        try await log.create(wall: 5, time: 1000)
        _ = try await log.claim(as: owner)
        var head = try #require(try await log.head())
        for number in 0..<4 {
            let write = nextWrite(number, after: head)
            #expect(try await log.write(write) == .succeeded)
            head = write.new
        }
        let damaged = Etcdserverpb_PutRequest.with {
            $0.key = log.keys.entry(1)
            $0.value = Data([1, 2, 3])
        }
        _ = try await etcd.call(.put, damaged, deadline: .seconds(1))
        for index in [2, 3] as [UInt64] { try await log.keep(snapshot(index), by: owner) }

        try await log.drop(try #require(LogDropPlan(snapshots: [2, 3])))

        #expect(try await log.entries(in: 1...9).isEmpty)
        #expect(try await log.entries(in: 3...9).map(\.index) == [3, 4])
    }

    @Test(arguments: [1, 3, 10]) func `when they are changed, lead to a result or to a sentence, and each call ends`(
        interval: Int
    ) async throws {
        var (successes, failures) = (0, 0)
        for seed in Self.seeds {
            if Self.isTraced { print("seed", seed, "interval", interval) }
            let etcd = OddEtcd(AnswerChanges(seed: seed, interval: interval))
            var asking = Asking(log: try Self.log(etcd))
            await asking.all()
            #expect(asking.faults.isEmpty, "seed \(seed), interval \(interval): \(asking.faults)")
            #expect(etcd.calls <= OddEtcd.mostCalls, "seed \(seed), interval \(interval): the calls do not end")
            successes += asking.successes
            failures += asking.failures
        }
        // There is enough of both.
        #expect(min(successes, failures) > Self.seeds.count / 4)
    }

    @Test func `whose events are changed, are hints of what can be read, or none`() throws {
        let keys = EtcdKeys(shard: "main")
        let head = LogHead(level: 1, epoch: 6, index: 1, owner: owner, time: 1, horizon: 2, chain: 3)
        let entry = LogEntry(.batch, epoch: 6, index: 1, time: 1, horizon: 2, chain: 3, commands: [1, 2])
        func event(_ key: Data, _ value: [UInt8], isDeleted: Bool = false) -> Etcdserverpb_Event {
            .with {
                $0.type = isDeleted ? .delete : .put
                $0.kv.key = key
                $0.kv.value = Data(value)
            }
        }
        let events = [
            event(keys.head, head.bytes), event(keys.entry(1), entry.bytes), event(keys.claim, [], isDeleted: true),
            event(keys.level, [0, 0, 0, 2]), event(keys.node("a"), []),
        ]
        #expect(
            events.map { EtcdLog.hint(of: $0, keys) } == [.head(head), .entry(entry), .claimEnded, .ordersChanged, nil])

        var last: [UInt8] = []
        for (number, event) in events.enumerated() {
            let bytes: [UInt8] = try event.serializedBytes()
            var changes = AnswerChanges(seed: UInt64(number), interval: 1)
            for change in 0..<2000 {
                guard case .answer(let changed) = changes.change(bytes, last),
                    let event = try? Etcdserverpb_Event(serializedBytes: changed)
                else { continue }
                switch EtcdLog.hint(of: event, keys) {
                case .head(let read): #expect(try LogHead(read.bytes) == read, "event \(number), change \(change)")
                case .entry(let read): #expect(try LogEntry(read.bytes) == read, "event \(number), change \(change)")
                case .claimEnded, .ordersChanged, nil: break
                }
            }
            last = bytes
        }
    }
}
