import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("An acknowledgement")
struct AckTests {
    @Test("acknowledges what is committed, once a batch, up to the first gap and above it")
    func acknowledgement() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(show("A", 1), show("B", 2), show("C", 5), show("D", 6), show("E", 9))
        #expect(try broker.acks() == ["alice: 2 +5 +6 +9"])
        try broker.send(show("F", 4))
        #expect(try broker.acks() == ["alice: 2 +4 +5 +6 +9"])
        try broker.send(show("G", 3), show("A", in: "h", 1, by: bob))
        #expect(try broker.acks() == ["alice: 6 +9", "bob: 1"])
    }

    @Test("comes in both encodings, with the broker's epoch")
    func encodings() throws {
        let broker = try Harness(
            journal: MemoryJournal(firstEpoch: 7), subscriptions: ["acks/\(alice)/", "acks+json/\(alice)/"])
        try broker.send(show("A", 1), numbered(3, #""dismiss":{"id":"B"}"#), show("B", 1, by: bob))
        let selective = "AQ" + String(repeating: "A", count: 41) + "="
        let detail = "no popup has this id; it never existed, or was forgotten"
        let json =
            #"{"epoch":"7","cumulative":"1","selective":"\#(selective)","refusals":[{"sequence":"3","reason":"NOT_FOUND","detail":"\#(detail)"}]}"#
        #expect(try broker.received() == ["acks/\(alice)/ \(json)", "acks+json/\(alice)/ \(json)"])
    }

    @Test("is for numbered commands alone")
    func unnumbered() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#, #"{"producer":"\#(alice)","show":{"id":"B","group":"g"}}"#,
            #"{"producer":"\#(alice)","sequence":0,"show":{"id":"C","group":"g"}}"#)
        #expect(try broker.acks() == [])
        #expect(broker.stats.popups == 3)
        #expect(broker.stats.producers == 0)
    }

    @Test("goes up to the largest sequence")
    func largest() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(show("A", .max), show("B", .max - 1), show("C", 1))
        #expect(try broker.acks() == ["alice: 1"])
        try broker.send(show("A", .max))
        #expect(try broker.acks() == ["alice: 1"])
        #expect(broker.stats.repetitions == 1)
    }

    @Test("is for everything that is numbered: also queries, which are answered as often as they come")
    func queries() throws {
        let journal = FullableJournal()
        let broker = try Harness(journal: journal, subscriptions: ["acks/", "replies/"])
        let query = numbered(1, #""query":{"client":"c","nonce":"1","count":{}}"#)
        try broker.send(query)
        try broker.send(query)
        let reply = #"replies/c/1/ {"client":"c","nonce":"1","reply":{"count":{}},"epoch":"1"}"#
        let ack = #"acks/\#(alice)/ {"epoch":"1","cumulative":"1"}"#
        #expect(try broker.received() == [reply, ack, reply, ack])
        #expect(try journal.kinds() == [[.command]])
        try broker.close()

        let again = try Harness(journal: journal, subscriptions: ["acks/\(alice)/"])
        #expect(try again.acks() == ["alice: 1"])
    }

    @Test("comes each second until its producer has been silent for ten, and only while somebody subscribes")
    func repetition() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        try broker.send(show("A", 1))
        var times: [Int64] = []
        for time in stride(from: Int64(0), through: 20_000, by: 10) {
            try broker.advance(to: time)
            times += try broker.acks().map { _ in time }
        }
        #expect(times == [0] + (1...10).map { $0 * 1000 })
        #expect(broker.nextDeadline == nil)

        broker.client.unsubscribe(from: "acks/")
        try broker.send(show("B", 2))
        #expect(broker.nextDeadline == nil)
        broker.client.subscribe(to: "acks/")
        try broker.advance(by: 1000)
        #expect(try broker.acks() == ["alice: 2"])
    }

    @Test("is repeated for many producers spread over the second")
    func spread() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        for producer in 0..<100 {
            let name = ProducerName(high: UInt64(producer), low: 1).description
            try broker.send(show("p\(producer)", in: "g\(producer)", 1, by: name))
        }
        #expect(broker.receivedMessages(of: broker.client).count == 100)
        try broker.advance(to: 999)
        _ = try broker.acks()
        var counts: [Int] = []
        for time in stride(from: Int64(1000), to: 2000, by: 100) {
            try broker.advance(to: time + 99)
            counts.append(broker.receivedMessages(of: broker.client).count)
        }
        #expect(counts == [Int](repeating: 10, count: 10))
    }

    @Test("is given to more producers than one turn takes")
    func many() throws {
        let broker = try Harness(subscriptions: ["acks/"])
        for start in stride(from: 0, to: 2000, by: 100) {
            let batch = try WireBatch.with { batch in
                batch.commands = try (start..<start + 100).map { producer in
                    let name = ProducerName(high: UInt64(producer), low: 1).description
                    return try Ingress.command(json: Array(show("p\(producer)", 1, by: name).utf8))
                }
            }
            broker.client.send(try batch.serializedBytes())
        }
        try broker.turn()
        let topics = broker.receivedMessages(of: broker.client).map(\.topic)
        #expect(topics.count == 2000)
        #expect(Set(topics).count == 2000)
    }

    @Test("is given at once to whoever subscribes to that of a known producer")
    func late() throws {
        let broker = try Harness()
        try broker.send(show("A", 1), show("B", 4))
        try broker.advance(to: 3_600_000)
        broker.client.subscribe(to: "acks+json/\(alice)/")
        broker.client.subscribe(to: "acks/\(bob)/")
        try broker.turn()
        #expect(try broker.acks() == ["alice: 1 +4"])
        #expect(broker.nextDeadline == nil)
    }
}
