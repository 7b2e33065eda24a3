@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing

@Suite("A snapshot")
struct SnapshotTests {
    /// A broker that has done a bit of everything, closed at `time`, and its journal.
    private func journal(until time: Int64) throws -> (KeepingJournal, state: [UInt8]) {
        let journal = KeepingJournal()
        var configuration = BrokerConfiguration()
        configuration.seed = 7
        configuration.policies = [
            .with {
                $0.group = "f"; $0.preset = .fifo
            }
        ]
        let broker = try Harness(configuration, journal: journal)
        for (at, command) in SimulatedCommandsTests.whole where at <= time {
            try broker.advance(to: at)
            try broker.send(command)
        }
        try broker.advance(to: time)
        let state = broker.schedulerState()
        try broker.close()
        return (journal, state)
    }

    @Test("and the batches since give the same scheduler as all batches", arguments: [500, 955, 50_000])
    func anywhere(time: Int64) throws {
        let (journal, state) = try journal(until: time)
        for sequence in 0...journal.batches.count {
            let copy = journal.copy()
            try copy.makeSnapshot(of: sequence)
            let broker = try Harness(configured(), journal: copy, at: time)
            #expect(broker.schedulerState() == state, "with the snapshot of batch \(sequence)")
        }
    }

    @Test("of a snapshot's state is the same snapshot")
    func again() throws {
        let (journal, _) = try journal(until: 955)
        try journal.makeSnapshot(of: journal.batches.count)
        let snapshot = try #require(journal.snapshot)
        var recovered = try BrokerState.restored(from: snapshot)
        #expect(try recovered.snapshot().state == snapshot.state)
        #expect(recovered.configuredPolicies.map(\.group) == ["f"])
    }

    @Test("that is whole and none of ours is told, not guessed")
    func foreign() throws {
        let journal = KeepingJournal()
        for state in [[], [1, 0, 0, 0, 0], [10, 0, 0, 0, 0, 255]] as [[UInt8]] {
            journal.snapshot = JournalSnapshot(sequence: 1, time: 0, state: state)
            #expect(throws: (any Error).self) { _ = try Harness(journal: journal) }
        }
    }

    @Test("with limits that can't be is refused; limits beyond all use are taken as the largest")
    func strangeLimits() throws {
        let numbers = JournaledSettings(limits: Limits(), seed: 7).bytes.count / 8 - 1
        for place in 1..<numbers {
            var bytes = [UInt8](repeating: 0, count: numbers * 8)
            bytes.replaceSubrange(place * 8..<place * 8 + 8, with: [UInt8](repeating: 0xFF, count: 8))
            #expect(throws: JournalContentError.self, "number \(place)") { try JournaledSettings(bytes[...]) }
            bytes[place * 8 + 7] = 0x7F
            let largest = try JournaledSettings(bytes[...])
            #expect(try JournaledSettings(largest.bytes[...]) == largest)
            #expect(largest.limits.deduplicationWindow <= 1 << 60)
        }
    }

    @Test("has the seed of gaps and that of hash tables; of an older version one for both")
    func seeds() throws {
        let settings = JournaledSettings(limits: Limits(), seed: .max, hashSeed: .max - 1)
        #expect(try JournaledSettings(settings.bytes[...]) == settings)
        let older = try JournaledSettings(settings.bytes.dropLast(8))
        #expect(older == JournaledSettings(limits: Limits(), seed: .max, hashSeed: .max))
    }

    @Test("has its numbers in the places where journals have them")
    func places() throws {
        let numbers: [UInt64] = (1...22).map { $0 * 1000 }
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let settings = try JournaledSettings(bytes[...])
        #expect(settings.seed == 1000)
        #expect(settings.limits.deduplicationWindow == 2000)
        #expect(settings.limits.groups == 6000)
        #expect(settings.limits.accounts == 21000)
        #expect(settings.hashSeed == 22000)
        #expect(settings.bytes == bytes)
    }

    @Test("with a limit of a newer version is refused, and what to do is said")
    func newerLimits() throws {
        let bytes = JournaledSettings(limits: Limits(), seed: 7).bytes + [UInt8](repeating: 0, count: 8)
        let error = try #require(throws: NewerContentError.self) { try JournaledSettings(bytes[...]) }
        let words = "the journal has a limit that this version does not know; install a newer version"
        #expect("\(error)" == words + ", or restore a backup")
    }

    @Test("keeps the limits under which it was made")
    func limits() throws {
        let journal = KeepingJournal()
        var configuration = BrokerConfiguration()
        configuration.scheduling.popups = 2
        let first = try Harness(configuration, journal: journal)
        for id in ["A", "B", "C"] { try first.send(#"{"show":{"id":"\#(id)","group":"g"}}"#) }
        let state = first.schedulerState()
        try first.close()
        // C was refused then, and is when it is replayed by a broker with room for it.
        try journal.makeSnapshot(of: 1)
        let second = try Harness(journal: journal, subscriptions: ["events/"])
        #expect(second.schedulerState() == state)
        try second.send(#"{"show":{"id":"C","group":"g"}}"#)
        #expect(try second.receivedEvents() == ["0 g C queued"])
    }

    @Test("is made by another thread while the broker goes on, and a restart goes by it")
    func beside() throws {
        let journal = KeepingJournal()
        journal.dueSnapshots = .max
        let first = try Harness(journal: journal)
        for number in 0..<200 { try first.send(#"{"show":{"id":"p\#(number)","group":"g/\#(number % 10)"}}"#) }
        #expect(journal.waitForSnapshot())
        let state = first.schedulerState()
        try first.close()
        let snapshot = try #require(journal.snapshot)
        #expect(snapshot.sequence > 0)

        journal.dueSnapshots = 0
        let second = try Harness(journal: journal)
        #expect(second.schedulerState() == state)
        #expect(journal.replayedFrom == snapshot.sequence + 1)
    }

    @Test("takes the place of everything when a journal is compacted")
    func compaction() throws {
        let (journal, state) = try journal(until: 955)
        let before = journal.batches.count
        let (findings, bytes) = try JournalCompaction.compact(journal)
        #expect(findings == [] && bytes > 0)
        #expect(journal.snapshot?.sequence == UInt64(before + 2))
        #expect(try Harness(configured(), journal: journal, at: 955).schedulerState() == state)
    }

    private func configured() -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.policies = [
            .with {
                $0.group = "f"; $0.preset = .fifo
            }
        ]
        return configuration
    }
}
