@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("A numbered command")
struct SettlementTests {
    @Test("that is refused for good is settled, and its acknowledgement says why")
    func refusals() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(
            numbered(1, #""show":{"id":"A","group":"no group"}"#),
            numbered(2, #""show":{"id":"A","group":"g","text":"\#(String(repeating: "x", count: 70_000))"}"#),
            numbered(3, #""dance":{}"#), numbered(4, #""show":{"id":5}"#), numbered(5, #""dismiss":{"id":"A"}"#),
            show("A", 6), numbered(7, #""dismiss":{"id":"A"}"#), numbered(8, #""dismiss":{"id":"A"}"#))
        let binary: [UInt8] = try WireCommand.with {
            $0.producer = alice
            $0.sequence = 9
            $0.show.id = "B"
        }.serializedBytes()
        broker.client.send(binary.dropLast())
        try broker.turn()
        #expect(
            try broker.acks() == [
                "alice: 8 !1 INVALID !2 TOO_LARGE !3 UNSUPPORTED !4 MALFORMED !5 NOT_FOUND !8 STALE",
                "alice: 9 !1 INVALID !2 TOO_LARGE !3 UNSUPPORTED !4 MALFORMED !5 NOT_FOUND !8 STALE !9 MALFORMED",
            ])
        #expect(broker.stats.refused == 7)
    }

    @Test("that comes again is acknowledged and changes nothing: neither plugins nor journal nor scheduler see it")
    func repetitions() throws {
        let journal = FullableJournal()
        let plugin = Witness()
        let broker = try Harness(journal: journal, plugins: [plugin], subscriptions: ["acks/", "events/"])
        let commands = [
            show("A", 1), numbered(2, #""dismiss":{"id":"A"}"#), numbered(3, #""show":{"id":"B","group":"?"}"#),
        ]
        for command in commands { try broker.send(command) }
        _ = try broker.received()
        let batches = journal.batches.count
        for command in commands { try broker.send(command) }
        #expect(try broker.received().map { $0.prefix(5) } == ["acks/", "acks/", "acks/"])
        #expect(journal.batches.count == batches)
        #expect(plugin.seen == 2)
        #expect(broker.stats.commands == 2)
        #expect(broker.stats.repetitions == 3)
        #expect(broker.stats.refused == 1)
    }

    @Test("is known again in the encoding it came in, also with an id that the broker made")
    func encodings() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        let json = numbered(1, #""show":{"group":"g"}"#)
        try broker.send(json)
        try broker.send(numbered(1, #" "show" : { "group" : "g" } "#))
        #expect(broker.stats.repetitions == 1)
        let binary = try Ingress.command(json: Array(show("B", 2).utf8))
        try broker.send(binary)
        try broker.send(binary)
        #expect(broker.stats.repetitions == 2)
        #expect(broker.stats.popups == 2)
        #expect(try broker.acks() == ["alice: 1", "alice: 1", "alice: 2", "alice: 2"])
    }

    @Test("under a sequence that another has is refused; what was settled stays")
    func conflict() throws {
        let broker = try Harness(subscriptions: ["acks/", "events/"])
        try broker.send(show("A", 1))
        _ = try broker.received()
        try broker.send(show("B", in: "h", 1))
        let messages = broker.receivedMessages(of: broker.client)
        #expect(messages.map(\.topic) == ["events/h/", "acks/\(alice)/"])
        #expect(Harness.short(try WireEvent(serializedBytes: messages[0].body)) == "0 h B refused SEQUENCE_REUSED")
        #expect(try WireAck(serializedBytes: messages[1].body).short == "1 !1 SEQUENCE_REUSED")
        #expect(broker.stats.sequencesReused == 1)
        #expect(broker.stats.popups == 1)
        // It is told for ten seconds.
        try broker.advance(to: 9999)
        _ = try broker.received()
        try broker.send(show("A", 1))
        #expect(try broker.acks() == ["alice: 1 !1 SEQUENCE_REUSED"])
        try broker.advance(to: 10_001)
        _ = try broker.acks()
        try broker.send(show("A", 1))
        #expect(try broker.acks() == ["alice: 1"])
    }

    @Test("within one batch: a repetition changes nothing, another one is refused, in whatever order they come")
    func oneBatch() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(
            show("C", 3), show("C", 3), show("A", 1), show("X", 3), show("B", 2), show("A", 1),
            numbered(4, #""dismiss":{"id":"A"}"#), numbered(4, #""dismiss":{"id":"A"}"#),
            numbered(5, #""show":{"id":"?","group":"?"}"#), numbered(5, #""show":{"id":"?","group":"?"}"#))
        #expect(try broker.acks() == ["alice: 5 !5 INVALID !3 SEQUENCE_REUSED"])
        #expect(broker.stats.repetitions == 4)
        #expect(broker.stats.sequencesReused == 1)
        #expect(broker.stats.popups == 2)
    }

    @Test("that there is no room for now is not settled: it may come again, or another in its place")
    func overload() throws {
        var configuration = BrokerConfiguration()
        configuration.scheduling.popups = 1
        let broker = try Harness(configuration, subscriptions: ["acks/"])
        try broker.send(show("A", 1), show("B", 2), show("C", 3))
        #expect(try broker.acks() == ["alice: 1 !2 OVERLOAD after 1000 !3 OVERLOAD after 1000"])
        try broker.send(numbered(4, #""dismiss":{"id":"A"}"#), show("B", 2))
        #expect(try broker.acks() == ["alice: 2 +4 !3 OVERLOAD after 1000"])
        try broker.send(numbered(3, #""dismiss":{"id":"B"}"#))
        #expect(try broker.acks() == ["alice: 4"])
        #expect(broker.stats.sequencesReused == 0)
    }

    @Test("over a quota learns when there is one again")
    func quota() throws {
        var configuration = BrokerConfiguration()
        configuration.quotas.perProducer.commandsPerSecond = 2
        let broker = try Harness(configuration, subscriptions: ["acks/"])
        try broker.send(show("A", 1), show("B", 2), show("C", 3))
        #expect(try broker.acks() == ["alice: 2 !3 OVERLOAD after 500"])
        try broker.advance(to: 499)
        _ = try broker.acks()
        try broker.send(show("C", 3))
        #expect(try broker.acks() == ["alice: 2 !3 OVERLOAD after 1"])
        try broker.advance(to: 500)
        try broker.send(show("C", 3))
        #expect(try broker.acks() == ["alice: 3"])
    }

    @Test("that the journal could not commit is not settled, nor is a refusal")
    func journal() throws {
        let journal = FullableJournal()
        let broker = try Harness(journal: journal, subscriptions: ["acks/"])
        let commands = [show("A", 1), numbered(2, #""show":{"id":"B","group":"?"}"#)]
        journal.isFull = true
        for command in commands { broker.client.send(Array(command.utf8)) }
        try broker.turn()
        #expect(try broker.acks() == ["alice: 0 !1 OVERLOAD after 1000 !2 OVERLOAD after 1000"])
        #expect(broker.stats.producers == 0)
        journal.isFull = false
        for command in commands { broker.client.send(Array(command.utf8)) }
        try broker.turn()
        #expect(try broker.acks() == ["alice: 2 !2 INVALID"])
        #expect(try journal.kinds() == [[.command, .refusedSequence]])
    }

    @Test("of another thread of the process is told what was settled")
    func calls() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        func perform(_ json: String) throws -> CommandRefusal? {
            try broker.perform(Ingress.command(json: Array(json.utf8)))
        }
        let dismissal = numbered(2, #""dismiss":{"id":"nobody"}"#)
        #expect(try perform(show("A", 1)) == nil)
        #expect(try perform(show("A", 1)) == nil)
        #expect(try perform(show("B", 1))?.reason == .sequenceReused)
        #expect(try perform(dismissal)?.reason == .notFound)
        #expect(try perform(dismissal)?.reason == .notFound)
        #expect(broker.stats.popups == 1)
        try broker.turn()
        #expect(try broker.acks() == ["alice: 2 !2 NOT_FOUND !1 SEQUENCE_REUSED"])
    }

    @Test("is refused when it would open more ranges than are kept; what fills a gap is not")
    func gaps() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.maxSequenceGaps = 2
        let broker = try Harness(configuration, subscriptions: ["acks/"])
        try broker.send(show("A", 1), show("C", 3), show("E", 5), show("G", 7), show("H", 8))
        #expect(try broker.acks() == ["alice: 1 +3 +5 !7 OVERLOAD after 1000 !8 OVERLOAD after 1000"])
        try broker.send(show("F", 6), show("G", 7), show("B", 2))
        #expect(try broker.acks() == ["alice: 3 +5 +6 +7 !8 OVERLOAD after 1000"])
        try broker.send(show("I", 9))
        #expect(try broker.acks() == ["alice: 3 +5 +6 +7 +9 !8 OVERLOAD after 1000"])
    }

    @Test("that is refused is never acknowledged without its refusal, however far its producer had jumped ahead")
    func jumped() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(show("A", 1))
        try broker.send(show("B", 5000))
        _ = try broker.acks()
        try broker.send(numbered(2, #""dismiss":{"id":"nobody"}"#))
        #expect(try broker.acks() == ["alice: 2 !2 NOT_FOUND"])
    }

    @Test("of one producer more than are remembered is refused until somebody has been silent for a minute")
    func producers() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.maxProducers = 1
        let broker = try Harness(configuration, subscriptions: ["acks/"])
        try broker.send(show("A", 1))
        try broker.advance(to: 59_999)
        _ = try broker.acks()
        try broker.send(show("B", 1, by: bob))
        #expect(try broker.acks() == ["bob: 0 !1 OVERLOAD after 1000"])
        try broker.advance(to: 60_000)
        _ = try broker.acks()
        try broker.send(show("B", 1, by: bob))
        #expect(try broker.acks() == ["bob: 1"])
        #expect(broker.stats.producers == 1)
        // Within ten seconds nobody else has a place: that is told once, and not repeated.
        try broker.send(show("C", 2))
        #expect(try broker.acks() == ["alice: 0 !2 OVERLOAD after 1000"])
        try broker.advance(by: 1000)
        #expect(try broker.acks() == ["bob: 1"])
        #expect(broker.stats.popups == 2)
    }
}

/// Counts what plugins see.
private final class Witness: BrokerPlugin {
    let name = "witness"
    var seen = 0

    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) { seen += 1 }
}
