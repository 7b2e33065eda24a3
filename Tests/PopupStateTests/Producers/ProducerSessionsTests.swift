import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import Testing
import TestSupport

@Suite("The sessions of producers")
struct ProducerSessionsTests {
    private func sender(_ producer: UInt64, _ sequence: UInt64) throws -> CommandSender {
        try #require(CommandSender(ProducerName(high: producer, low: 0), sequence))
    }

    private func names(_ sessions: borrowing ProducerSessions) -> [UInt64] {
        var names: [UInt64] = []
        sessions.visit { names.append($0.producer.high) }
        return names
    }

    @Test("tells what was settled by the same command, and by another")
    func status() throws {
        var sessions = ProducerSessions()
        let index = sessions.settle(try sender(1, 1), digest: 10, refusal: nil, at: 0)
        let first = [(1, 10), (1, 11), (2, 10)].map { (sequence: UInt64($0), digest: UInt64($1)) }
        var statuses: [ProducerSessions.Status] = []
        for (sequence, digest) in first { statuses.append(sessions.status(at: index, sequence, digest: digest)) }
        for sequence in UInt64(2)...257 {
            sessions.settle(try sender(1, sequence), digest: sequence, refusal: nil, at: 0)
        }
        // The first is too old to be compared now.
        for sequence in UInt64(1)...2 { statuses.append(sessions.status(at: index, sequence, digest: 11)) }
        #expect(statuses == [.repeated, .contradicting, .new, .repeated, .contradicting])
    }

    @Test("have space for as many producers as are remembered by default: no record is copied for a new one")
    func reservedSpace() throws {
        var sessions = ProducerSessions()
        let space = sessions.table.capacity
        for number in 1...20_000 { sessions.settle(try sender(UInt64(number), 1), digest: 1, refusal: nil, at: 0) }
        let (count, after, limit) = (sessions.count, sessions.table.capacity, sessions.bounds.producers)
        #expect(count == 20_000 && after == space && space >= limit)
        // A larger limit is not allocated in advance.
        let most = ProducerSessions(ProducerSessions.Bounds(producers: 10_000_000)).table.capacity
        #expect(most < 1_000_000)
    }

    @Test("settles a sequence once: what came first stays")
    func once() throws {
        var sessions = ProducerSessions()
        let index = sessions.settle(try sender(1, 1), digest: 10, refusal: SettledRefusal(.invalid, "no"), at: 0)
        sessions.settle(try sender(1, 1), digest: 11, refusal: nil, at: 5)
        let (refusal, status) = (sessions[index].refusal(of: 1), sessions.status(at: index, 1, digest: 10))
        #expect(refusal == SettledRefusal(.invalid, "no"))
        #expect(status == .repeated)
    }

    @Test("forgets those whose time is over as new ones come, two at a time")
    func forgetting() throws {
        var sessions = ProducerSessions(ProducerSessions.Bounds(deduplicationWindow: 100_000))
        for producer in UInt64(1)...4 { sessions.settle(try sender(producer, 1), digest: 0, refusal: nil, at: 0) }
        sessions.settle(try sender(1, 2), digest: 0, refusal: nil, at: 50_000)
        let names1 = names(sessions)
        #expect(names1 == [2, 3, 4, 1])
        sessions.settle(try sender(5, 1), digest: 0, refusal: nil, at: 100_000)
        let names2 = names(sessions)
        #expect(names2 == [4, 1, 5])
        sessions.settle(try sender(6, 1), digest: 0, refusal: nil, at: 100_000)
        let names3 = names(sessions)
        #expect(names3 == [1, 5, 6])
    }

    @Test("removes the one that was silent for longest when it is full, but none that was active within a minute")
    func space() throws {
        var sessions = ProducerSessions(ProducerSessions.Bounds(producers: 2))
        sessions.settle(try sender(1, 1), digest: 0, refusal: nil, at: 0)
        sessions.settle(try sender(2, 1), digest: 0, refusal: nil, at: 10_000)
        // The end of a batch releases its reservations.
        var answers: [Bool] = []
        for now: Milliseconds in [59_999, 60_000, 60_000] { answers.append(sessions.reserve(at: now)) }
        sessions.endBatch(reserved: sessions.beginBatch())
        for now: Milliseconds in [70_000, 70_000, 70_000] { answers.append(sessions.reserve(at: now)) }
        sessions.endBatch(reserved: sessions.beginBatch())
        #expect(answers == [false, true, false, true, true, false])

        // A producer with a command to be settled is not removed. One that is to be removed already needs space again.
        let known = sessions.index(of: ProducerName(high: 1, low: 0))
        let first = try #require(known)
        answers = [sessions.hold(first, at: 70_000)]
        for _ in 0..<2 { answers.append(sessions.reserve(at: 70_000)) }
        sessions.endBatch(reserved: sessions.beginBatch())
        answers.append(sessions.reserve(at: 60_000))
        answers.append(sessions.hold(first, at: 60_000))
        sessions.endBatch(reserved: sessions.beginBatch())
        #expect(answers == [true, true, false, true, false])
        sessions.settle(try sender(3, 1), digest: 0, refusal: nil, at: 60_000)
        let names4 = names(sessions)
        #expect(names4 == [2, 3])
    }

    @Test("reserves space for each batch that has not completed")
    func twoBatches() throws {
        var sessions = ProducerSessions(ProducerSessions.Bounds(producers: 3))
        for number: UInt64 in 1...2 { sessions.settle(try sender(number, 1), digest: 0, refusal: nil, at: 0) }
        let other = sessions.index(of: ProducerName(high: 2, low: 0))
        let second = try #require(other)
        // One has free space, the other that of the first.
        var answers = [sessions.reserve(at: 60_000), sessions.reserve(at: 60_000)]
        let reserved = sessions.beginBatch()
        // The next may have the space of the second, unless a command of that is to be settled.
        answers += [sessions.hold(second, at: 60_000), sessions.reserve(at: 60_000)]
        #expect(answers == [true, true, true, false])
        for number: UInt64 in 3...4 { sessions.settle(try sender(number, 1), digest: 0, refusal: nil, at: 60_000) }
        sessions.endBatch(reserved: reserved)
        let before = names(sessions)
        #expect(before == [2, 3, 4])
        // It is still held.
        answers = [sessions.reserve(at: 60_000)]
        sessions.endBatch(reserved: sessions.beginBatch())
        answers.append(sessions.reserve(at: 60_000))
        #expect(answers == [false, true])
    }

    @Test("is restored as it was, and goes on in the same way")
    func restored() throws {
        var dice = SplitMix64(seed: 4)
        var sessions = ProducerSessions(ProducerSessions.Bounds(producers: 20))
        var now: Milliseconds = 0
        func settle(_ sessions: inout ProducerSessions, _ dice: inout SplitMix64) throws {
            now += Milliseconds.random(in: 0...20_000, using: &dice)
            let sender = try sender(UInt64.random(in: 1...40, using: &dice), UInt64.random(in: 1...30, using: &dice))
            let isRefused = Bool.random(using: &dice)
            sessions.settle(
                sender, digest: dice.next(), refusal: isRefused ? SettledRefusal(.stale, "over") : nil, at: now)
        }
        func records(_ sessions: borrowing ProducerSessions) -> [[UInt8]] {
            var records: [[UInt8]] = []
            sessions.visit { record in
                var bytes: [UInt8] = []
                record.append(to: &bytes)
                records.append(bytes)
            }
            return records
        }
        for _ in 0..<2000 { try settle(&sessions, &dice) }
        var copy = ProducerSessions(ProducerSessions.Bounds(producers: 20))
        var log = CommandLog()
        sessions.append(to: &log)
        for entry in try CommandLog.entries(in: log.bytes) where entry.kind == .producer {
            try copy.restore(log.bytes[entry.range])
        }
        let (restored, original) = (records(copy), records(sessions))
        #expect(restored == original)
        var sameDice = dice
        let then = now
        for _ in 0..<2000 { try settle(&sessions, &dice) }
        now = then
        for _ in 0..<2000 { try settle(&copy, &sameDice) }
        let (restoredLater, originalLater) = (records(copy), records(sessions))
        #expect(restoredLater == originalLater)
        let again = records(sessions)[0]
        var thrown: (any Error)?
        do {
            try copy.restore(again[...])
        } catch {
            thrown = error
        }
        #expect(thrown is JournalContentError)
    }
}
