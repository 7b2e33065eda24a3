import Dispatch
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import Testing

@Suite("The statistics of a broker")
struct StatisticsTests {
    private func count(_ counts: [WireCommandCount]) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: counts.map { ($0.kind, $0.count) }).filter { $0.value > 0 }
    }

    private func use(_ stats: WireStatsResult, _ limit: String) -> [UInt64] {
        stats.limits.first { $0.limit == limit }.map { [$0.used, $0.most] } ?? []
    }

    private func filled(_ histogram: WireHistogram) -> [String: UInt64] {
        Dictionary(
            uniqueKeysWithValues: histogram.buckets.filter { $0.count > 0 }.map {
                ($0.hasUpToUs ? "\($0.upToUs)" : "more", $0.count)
            })
    }

    @Test("count commands and events by kind, refusals and closings by reason, and their sums are the totals")
    func kinds() throws {
        let broker = try Harness()
        try broker.send(
            #"{"show":{"id":"a","group":"g"}}"#, #"{"show":{"id":"b","group":"g"}}"#, #"{"dismiss":{"id":"a"}}"#,
            #"{"dismiss":{"id":"nobody"}}"#, #"{"setPolicy":{"group":"g","preset":"LIFO"}}"#,
            #"{"unsetPolicy":{"group":"g"}}"#, #"{"show":{"group":"g","priority":"x"}}"#,
            #"{"query":{"client":"c","nonce":"n","stats":{}}}"#, #"{"clear":{"selector":{"group":"g"}}}"#)
        let stats = broker.stats
        #expect(
            count(stats.commandsByKind) == ["show": 2, "dismiss": 2, "setPolicy": 1, "unsetPolicy": 1, "clear": 1])
        #expect(stats.commandsByKind.reduce(0) { $0 + $1.count } == stats.commands)
        let events = Dictionary(uniqueKeysWithValues: stats.eventsByKind.map { ($0.kind, $0.count) })
        #expect(
            events == [
                "queued": 1, "offered": 0, "shown": 2, "paused": 0, "resumed": 0, "updated": 0, "closed": 2,
                "refused": 2,
            ])
        #expect(stats.eventsByKind.reduce(0) { $0 + $1.count } == stats.events)
        let closed = Dictionary(uniqueKeysWithValues: stats.closed.map { ($0.reason, $0.count) })
        #expect(closed.count == WireClosed.Reason.allCases.count - 1)
        #expect(closed.filter { $0.value > 0 } == [.dismissed: 1, .cleared: 1])
        let refused = Dictionary(uniqueKeysWithValues: stats.refusedByReason.map { ($0.reason, $0.count) })
        #expect(refused.count == WireRefused.Reason.allCases.count - 1)
        #expect(refused.filter { $0.value > 0 } == [.notFound: 1, .malformed: 1])
        #expect(stats.refusedByReason.reduce(0) { $0 + $1.count } == stats.refused)
    }

    @Test("have the field of Command and of Event as the name of a kind, each once")
    func names() throws {
        let stats = try Harness().stats
        #expect(stats.commandsByKind.map(\.kind) + ["query"] == CommandKind.allCases.map(\.rawValue))
        for kind in stats.eventsByKind.map(\.kind) {
            #expect(throws: Never.self) { try WireEvent(jsonString: #"{"\#(kind)":{}}"#) }
        }
    }

    @Test("count what lives, waits and is paused, and how full tables are")
    func tables() throws {
        var configuration = BrokerConfiguration()
        configuration.scheduling.popups = 10
        configuration.scheduling.suspensions = 4
        let broker = try Harness(configuration)
        try broker.send(
            #"{"show":{"id":"a","group":"g"}}"#, #"{"show":{"id":"b","group":"g","delayMs":1000}}"#,
            #"{"show":{"id":"c","group":"g"}}"#, #"{"show":{"id":"d","group":"g","priority":1}}"#,
            #"{"suspend":{"token":"t","group":"h"}}"#, #"{"lease":{"client":"r","groups":["g"]}}"#)
        let stats = broker.stats
        #expect([stats.popups, stats.waiting, stats.paused, stats.renderers] == [4, 2, 1, 1])
        #expect(use(stats, "limits.popups") == [4, 10])
        #expect(use(stats, "limits.suspensions") == [1, 4])
        #expect(use(stats, "deduplication.maxIDs") == [4, 4_000_000])
        #expect(use(stats, "limits.waitingPerGroup").isEmpty)
    }

    @Test("measure from the arrival of a popup to its first showing, without the time of its delay or of a pause")
    func waiting() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"a","group":"g","durationMs":1000}}"#)
        try broker.send(#"{"show":{"id":"b","group":"g","durationMs":5000}}"#)
        try broker.send(#"{"show":{"id":"c","group":"h","delayMs":60000}}"#)
        try broker.advance(to: 2000)
        try broker.send(#"{"show":{"id":"d","group":"g","durationMs":1000,"priority":9}}"#)
        try broker.advance(to: 60_000)
        let times = broker.stats.waitingTimes
        #expect(filled(times) == ["1000": 3, "1024000": 1])
        #expect(times.sumUs == 1_000_000)
        #expect(times.count == 4)
    }

    @Test("do not count again what a start replays")
    func replay() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal)
        try first.send(#"{"show":{"id":"a","group":"g"}}"#)
        #expect(first.stats.waitingTimes.count == 1)
        try first.close()
        let second = try Harness(journal: journal, at: 5000)
        #expect(second.stats.popups == 1)
        #expect(second.stats.waitingTimes.count == 0)
        #expect(second.stats.eventsByKind.allSatisfy { $0.count == 0 })
    }

    @Test("measure how late timers are handled")
    func lateness() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"a","group":"g","durationMs":1000}}"#)
        try broker.jump(to: 1100)
        #expect(filled(broker.stats.timerLateness) == ["256000": 1])
        #expect(broker.stats.timerLateness.sumUs == 100_000)
    }

    @Test("say nothing of files for a journal in memory")
    func noFiles() throws {
        let stats = try Harness().stats
        #expect(!stats.hasJournalBytes && !stats.hasLastSnapshotAt && stats.commitTimes.count == 0)
    }

    @Test("count connections that were cut, those of slow subscribers apart, and those that were not told one by one")
    func cuts() {
        var stats = Statistics(BrokerConfiguration())
        stats.count(CutConnection(socket: "ingress", peer: "a", reason: "r"))
        stats.count(CutConnection(socket: "egress", peer: "b", reason: "r", isSlow: true))
        stats.count(CutConnection(socket: "CURVE", peer: nil, reason: "r", count: 5))
        let told = told(stats)
        #expect([told.connectionsCut, told.slowSubscribers] == [7, 1])
    }

    /// What the statistics tell, without a loop.
    private func told(_ stats: Statistics, waitingTimes: Histogram = Histogram()) -> WireStatsResult {
        var told = WireStatsResult()
        stats.fill(&told, waitingTimes: waitingTimes)
        return told
    }

    @Test("begin after the replay: what was counted and waited for before is not told, what was found is")
    func beginning() {
        var stats = Statistics(BrokerConfiguration())
        var waitingTimes = Histogram()
        waitingTimes.record(5)
        stats.commands.count(.show)
        stats.refused.count(.invalid)
        stats.events.countRefusal()
        stats.countLateReports(3)
        stats.recordLateness(4)
        stats.begin(findings: 2, waitingTimes: waitingTimes)
        let told = told(stats, waitingTimes: waitingTimes)
        #expect([told.commands, told.refused, told.events, told.lateReports] == [0, 0, 0, 0])
        #expect([told.timerLateness.count, told.waitingTimes.count, told.journalFindings] == [0, 0, 2])
        waitingTimes.record(5)
        #expect(self.told(stats, waitingTimes: waitingTimes).waitingTimes.count == 1)
    }

    @Test("have the durations of turns once there are any")
    func turns() {
        var stats = Statistics(BrokerConfiguration())
        #expect(!told(stats).hasTurns)
        stats.recordTurn(70)
        #expect(told(stats).turns.count == 1 && told(stats).turns.longestUs == 70)
    }

    @Test("count the snapshots since the start, and have the time of the last one by the wall clock")
    func snapshots() throws {
        let journal = KeepingJournal()
        let broker = try Harness(journal: journal)
        try broker.advance(to: 700)
        try broker.send(#"{"show":{"id":"a","group":"g"}}"#)
        #expect(broker.stats.snapshots == 0 && !broker.stats.hasLastSnapshotAt)
        journal.dueSnapshots = 1
        try broker.send(#"{"show":{"id":"b","group":"g"}}"#)
        #expect(journal.waitForSnapshot())
        // It waits for the end of the snapshot.
        try broker.close()
        let stats = broker.stats
        #expect(stats.snapshots == 1)
        #expect(stats.lastSnapshotAt == 700)
    }

    @Test("tell how many answers to sync wait, and nothing of connections and memory without sockets")
    func waitingSyncs() throws {
        var configuration = BrokerConfiguration()
        (configuration.limits.activeSyncs, configuration.limits.queuedSyncs) = (1, 7)
        let broker = try Harness(configuration)
        let stats = broker.stats
        #expect(use(stats, "limits.queuedSyncs") == [0, 7])
        #expect(use(stats, "limits.pendingCalls") == [0, 1024])
        #expect(use(stats, "limits.connections").isEmpty && use(stats, "limits.memoryBytes").isEmpty)
        var syncs = Syncs(maxActive: 1, maxWaiting: 7)
        for connection in 1...4 as ClosedRange<UInt64> {
            let isQueued = syncs.add(
                Syncs.Answer(topic: [], connection: ConnectionID(connection), isJSON: false, prefix: []))
            #expect(isQueued)
        }
        #expect(syncs.queuedCount == 3)
    }

    @Test("have the bytes of all subscriptions, of a withdrawn one no longer")
    func subscriptionBytes() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.subscriptionBytes = 2048
        let broker = try Harness(configuration)
        #expect(use(broker.stats, "limits.subscriptionBytes") == [0, 2048])
        for prefix in ["events/", "state/lobby/"] { broker.client.subscribe(to: prefix) }
        let other = broker.makeClient()
        other.subscribe(to: "events/")
        try broker.turn()
        #expect(use(broker.stats, "limits.subscriptionBytes") == [26, 2048])
        #expect(use(broker.stats, "limits.subscriptions") == [3, 100_000])
        broker.client.unsubscribe(from: "state/lobby/")
        try broker.turn()
        #expect(use(broker.stats, "limits.subscriptionBytes") == [14, 2048])
        withExtendedLifetime(other) {}
    }

    @Test("have the answers to sync that are being sent, and those that wait")
    func activeSyncs() throws {
        var configuration = BrokerConfiguration()
        (configuration.limits.activeSyncs, configuration.limits.queuedSyncs) = (2, 9)
        let broker = try Harness(configuration)
        // More groups than one turn visits.
        for start in stride(from: 0, to: 6000, by: 500) {
            let batch = WireBatch.with { batch in
                batch.commands = (start..<start + 500).map { number in
                    .with { ($0.show.id, $0.show.group) = ("\(number)", "g/\(number)") }
                }
            }
            broker.client.send(try batch.serializedBytes())
        }
        try broker.turn()
        for client in ["a", "b", "c", "d", "e"] { broker.client.subscribe(to: "sync/\(client)/1/*/") }
        #expect(try broker.turnOnce())
        #expect(use(broker.stats, "limits.activeSyncs") == [2, 2])
        #expect(use(broker.stats, "limits.queuedSyncs") == [3, 9])
        try broker.turn()
        #expect(use(broker.stats, "limits.activeSyncs") == [0, 2])
    }

    @Test("have the greatest number as the sum of a histogram that is too great")
    func sums() {
        var histogram = Histogram()
        histogram.record(.max)
        #expect(WireHistogram(histogram, microseconds: 1).sumUs == UInt64(Int64.max))
        #expect(WireHistogram(histogram, microseconds: 1000).sumUs == .max)
    }

    @Test("are answered while the disk does not say how large the files are")
    func hangingDisk() throws {
        let journal = HangingJournal()
        let broker = try Harness(journal: journal)
        #expect(broker.stats.journalBytes == 1)
        #expect(broker.stats.journalBytes == 1)
        journal.answer()
        try broker.close()
    }

    @Test("have the size of the files as it was found last, by one lookup at a time and at most one a second")
    func lookups() throws {
        let journal = HangingJournal()
        let gauge = try #require(JournalGauge(of: journal))
        gauge.refresh(at: 0)
        gauge.refresh(at: 5000)
        #expect(gauge.bytes == 1)
        journal.answer()
        gauge.stop()
        #expect(gauge.bytes == 2)
        journal.answer()
        gauge.refresh(at: 999)
        gauge.stop()
        #expect(gauge.bytes == 2)
        gauge.refresh(at: 1000)
        gauge.stop()
        #expect(gauge.bytes == 3)
    }
}

/// A journal whose files are listed at the start, and later only when the test allows it.
private final class HangingJournal: Journal {
    private let kept = MemoryJournal()
    private let lookups = Mutex(0)
    private let allowed = DispatchSemaphore(value: 0)

    func open() throws -> JournalOpening { try kept.open() }
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        try kept.replay(from: sequence, body)
    }
    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 { try kept.append(commands, at: time) }
    func close() throws { try kept.close() }

    var storedBytes: Int? {
        let lookup = lookups.withLock { count in
            count += 1
            return count
        }
        if lookup > 1 { allowed.wait() }
        return lookup
    }

    /// Allows one lookup.
    func answer() { allowed.signal() }
}
