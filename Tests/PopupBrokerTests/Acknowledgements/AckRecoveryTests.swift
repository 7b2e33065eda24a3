@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing
import TestSupport

@Suite("After a restart")
struct AckRecoveryTests {
    @Test("what was settled is settled, with its outcome: repetitions are known, contradictions refused")
    func restart() throws {
        let journal = FullableJournal()
        var configuration = BrokerConfiguration()
        configuration.scheduling.popups = 2
        configuration.defaults = [
            .with {
                $0.group = "d"; $0.durationMs = 5
            }
        ]
        let commands = [
            show("A", 1), numbered(2, #""show":{"group":"g"}"#), numbered(3, #""show":{"id":"?","group":"?"}"#),
            numbered(5, #""dismiss":{"id":"nobody"}"#), numbered(6, #""show":{"id":5}"#), show("full", 7),
            numbered(9, #""dismiss":{"id":"A"}"#), show("D", in: "d", 10),
        ]
        let first = try Harness(configuration, journal: journal, subscriptions: ["acks/"])
        for command in commands { try first.send(command) }
        let told = "3 +5 +6 +9 +10 !3 INVALID !5 NOT_FOUND !6 MALFORMED"
        #expect(try first.acks().last == "alice: \(told) !7 OVERLOAD after 1000")
        #expect(
            try journal.kinds() == [
                [.command], [.amendedCommand], [.refusedSequence], [.command], [.refusedSequence], [.command],
                [.command], [.amendedCommand],
            ])
        let before = first.sessions()
        try first.close()

        let second = try Harness(configuration, journal: journal, subscriptions: ["acks/"])
        #expect(second.sessions() == before)
        for command in commands where !command.contains("full") { try second.send(command) }
        #expect(try second.acks() == [String](repeating: "alice: \(told)", count: 7))
        #expect(second.stats.repetitions == 7)
        #expect(second.stats.commands == 0)
        try second.send(show("X", in: "x", 2))
        #expect(try second.acks() == ["alice: \(told) !2 SEQUENCE_REUSED"])
        try second.send(numbered(4, #""dismiss":{"id":"D"}"#), show("full", 7))
        #expect(try second.acks().last == "alice: 7 +9 +10 !3 INVALID !5 NOT_FOUND !6 MALFORMED !2 SEQUENCE_REUSED")
    }

    @Test("the producer sessions are the same after any commands", arguments: 1...20)
    func replayed(seed: UInt64) throws {
        let journal = FullableJournal()
        var configuration = BrokerConfiguration()
        configuration.scheduling.popups = 20
        configuration.limits.maxProducers = 6
        configuration.limits.maxSequenceGaps = 4
        let first = try Harness(configuration, journal: journal)
        var dice = SplitMix64(seed: seed)
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let producer = ProducerName(high: UInt64.random(in: 1...8, using: &dice), low: 0).description
                let sequence = UInt64.random(in: 1...20, using: &dice)
                let id = "p\(Int.random(in: 0..<60, using: &dice))"
                let command =
                    switch Int.random(in: 0..<8, using: &dice) {
                    case 0: numbered(sequence, #""dismiss":{"id":"\#(id)"}"#, by: producer)
                    case 1: numbered(sequence, #""show":{"id":"\#(id)"}"#, by: producer)
                    case 2: numbered(sequence, #""show":{"group":"g"}"#, by: producer)
                    case 3: numbered(sequence, #""advance":{"group":"g"}"#, by: producer)
                    case 4: numbered(sequence, #""show":5"#, by: producer)
                    default: show(id, in: "g\(sequence)", sequence, by: producer)
                    }
                first.client.send(Array(command.utf8))
            }
            journal.isFull = Int.random(in: 0..<10, using: &dice) == 0
            try first.turn()
            journal.isFull = false
            if Int.random(in: 0..<20, using: &dice) == 0 {
                try first.advance(by: Milliseconds.random(in: 0...90_000, using: &dice))
            }
        }
        let (sessions, scheduler) = (first.sessions(), first.schedulerState())
        #expect(sessions.count == 6)
        let time = first.time
        try first.close()
        let second = try Harness(configuration, journal: journal, at: time)
        #expect(second.sessions() == sessions)
        #expect(second.schedulerState() == scheduler)
    }

    @Test("producers are forgotten as they were, whatever the limits are now")
    func otherLimits() throws {
        let journal = FullableJournal()
        var configuration = BrokerConfiguration()
        configuration.limits.maxProducers = 3
        let first = try Harness(configuration, journal: journal)
        for producer in UInt64(1)...6 {
            let name = ProducerName(high: producer, low: 0).description
            try first.advance(by: 60_000)
            try first.send(show("p\(producer)", 1, by: name))
        }
        let before = first.sessions()
        #expect(before.count == 3)
        try first.close()

        configuration.limits.maxProducers = 100
        let second = try Harness(configuration, journal: journal, at: 360_000)
        #expect(second.sessions() == before)
        try second.send(show("q", 1))
        #expect(second.sessions().count == 4)
        let after = second.sessions()
        try second.close()

        configuration.limits.maxProducers = 1
        let third = try Harness(configuration, journal: journal, at: 360_000)
        #expect(third.sessions() == after)
        try third.advance(by: 60_000)
        try third.send(show("r", 1, by: bob))
        #expect(third.sessions().count == 1)
    }

    @Test("a journal with damaged acknowledgements is refused, and the error says so")
    func damaged() throws {
        func error(_ kind: CommandLog.Kind, _ entry: [UInt8]) throws -> String? {
            let journal = MemoryJournal()
            var log = CommandLog()
            log.append(kind, entry.span.bytes)
            _ = try journal.open()
            _ = try journal.append(log.bytes.span.bytes, at: 0)
            try journal.close()
            do {
                _ = try Harness(journal: journal)
                return nil
            } catch {
                return "\(error)"
            }
        }
        for (kind, entry) in [
            (CommandLog.Kind.refusedSequence, [UInt8](repeating: 0, count: 40)), (.refusedSequence, [1, 2]),
            (.amendedCommand, [1, 2, 3]), (.producer, []),
        ] {
            #expect(try error(kind, entry)?.contains("restore a backup") == true)
        }
    }
}
