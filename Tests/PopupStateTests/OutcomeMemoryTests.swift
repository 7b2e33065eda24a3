import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing

@Suite("The memory for gaps and refusals")
struct OutcomeMemoryTests {
    private static let bounds = ProducerSessions.Bounds(producers: 100, gaps: 100_000, deduplicationWindow: 100_000)

    private static func name(_ producer: UInt64) -> ProducerName { ProducerName(high: producer, low: 0) }

    private func sender(_ producer: UInt64, _ sequence: UInt64) throws -> CommandSender {
        try #require(CommandSender(Self.name(producer), sequence))
    }

    /// Sends a producer's commands with odd sequences until one is refused. Returns the number of those before.
    private func gaps(_ sessions: inout ProducerSessions, of producer: UInt64, at now: Milliseconds) throws -> Int {
        var count = 0
        while case .new = sessions.lookUp(try sender(producer, UInt64(count) * 2 + 3), digest: 0, at: now) {
            sessions.settle(try sender(producer, UInt64(count) * 2 + 3), digest: 0, refusal: nil, at: now)
            count += 1
        }
        return count
    }

    @Test("is never used up by some for the others: each may have 32 gaps, and what closes one is always accepted")
    func shares() throws {
        var sessions = ProducerSessions(Self.bounds)
        var counts: [Int] = []
        for producer in UInt64(1)...5 { counts.append(try gaps(&sessions, of: producer, at: 0)) }
        #expect(counts == [3641, 405, 45, 32, 32])
        var used = sessions.memory.used
        #expect(used == counts.reduce(0, +) * 32)

        for (producer, sequence) in [(UInt64(1), UInt64(1)), (1, 2), (5, 4), (6, 1)] {
            guard case .new = sessions.lookUp(try sender(producer, sequence), digest: 0, at: 0) else {
                Issue.record("\(producer) \(sequence) is refused")
                continue
            }
            sessions.settle(try sender(producer, sequence), digest: 0, refusal: nil, at: 0)
        }
        used = sessions.memory.used
        #expect(used == (counts.reduce(0, +) - 2) * 32)

        // What a forgotten producer used is free.
        sessions.settle(try sender(7, 1), digest: 0, refusal: nil, at: 100_000)
        var rest = 0
        sessions.visit { rest += $0.countedOutcomeBytes }
        used = sessions.memory.used
        #expect(used == rest)
        let next = try gaps(&sessions, of: 8, at: 100_000)
        #expect(next > 3000)
    }

    @Test("is as large for a table of any size that a journal may contain")
    func sizes() {
        for producers in [0, 1, 100_000, 1 << 60] {
            let memory = OutcomeMemory(ProducerSessions.Bounds(producers: producers))
            #expect(memory.maxRanges == 1024)
            #expect(memory.hasRoom(for: RefusedSequence.maxBytes, beside: 0))
        }
    }

    private static let settings = JournaledSettings(limits: Limits(), seed: 7, producers: bounds)

    private static func command(_ producer: UInt64, _ sequence: UInt64, isShow: Bool = false) -> WireCommand {
        .with {
            $0.producer = name(producer).description
            $0.sequence = sequence
            if isShow {
                $0.show.id = "\(producer)-\(sequence)"
                $0.show.group = "g"
            } else {
                $0.dismiss.id = "nobody"
            }
        }
    }

    @Test("keeps every refusal: one without room settles nothing, as the replay decides too")
    func refusals() throws {
        // Floods of refusals above a gap, then one after the other of another producer; that one is accepted after all.
        let floods = (UInt64(1)...4).flatMap { producer in (UInt64(2)...513).map { Self.command(producer, $0) } }
        let own = (UInt64(1)...40).map { Self.command(9, $0) }
        let commands = floods + own + [Self.command(9, 41, isShow: true)]
        var live = BrokerState(Self.settings)
        var log = CommandLog()
        var output = EventBuffer()
        log.append(.settings, Self.settings.bytes.span.bytes)
        _ = live.apply(.settings(Self.settings), at: 0, into: &output)
        var outcomes: [BrokerState.Outcome] = []
        for command in commands {
            let bytes: [UInt8] = try command.serializedBytes()
            log.append(.command, bytes.span.bytes)
            let sender = try #require(CommandSender(command))
            let origin = BrokerState.Origin(sender: sender, digest: CommandDigest.of(bytes.span.bytes))
            outcomes.append(live.apply(.command(command), from: origin, at: 0, into: &output))
            output.removeAll()
        }
        live.endBatch(1, at: 0)

        let ofOwn = outcomes.dropFirst(floods.count)
        #expect(ofOwn.prefix(40).allSatisfy { $0.refusal?.reason == .notFound })
        #expect(ofOwn.map { $0.session != nil } == (1...41).map { $0 <= 12 || $0 == 41 })
        let known = live.producers.index(of: Self.name(9))
        let index = try #require(known)
        let record = live.producers[index]
        #expect(record.cumulative == 12)
        #expect(record.refusals.map(\.sequence) == Array(1...12))
        #expect(record.refusals.allSatisfy { $0.refusal.reason == .notFound })

        var replayed = BrokerState(Self.settings)
        try replayed.apply(JournalBatch(sequence: 1, time: 0, commands: log.takeBytes()), into: &output)
        let snapshot = try live.snapshot()
        let replayedSnapshot = try replayed.snapshot()
        #expect(replayedSnapshot.state == snapshot.state)
        let restored = try BrokerState.restored(from: snapshot)
        let (used, usedRestored) = (live.producers.memory.used, restored.producers.memory.used)
        #expect(usedRestored == used)
        #expect(used <= 131_072 + 5 * OutcomeMemory.bytesOfEach)
    }
}
