import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

@Suite("The table of producers")
struct ProducerShareTests {
    private static func name(_ number: Int) -> String { ProducerName(high: UInt64(number), low: 3).description }

    private static func configuration(producers: Int) -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.limits.maxProducers = producers
        return configuration
    }

    @Test("isn't filled by one connection: others have places, new and known ones, and nobody is forgotten")
    func oneConnection() throws {
        let journal = FullableJournal()
        let configuration = Self.configuration(producers: 20)
        let broker = try Harness(configuration, journal: journal, subscriptions: ["acks/"])
        let other = broker.makeClient()
        other.send(Array(show("A", 1).utf8))
        try broker.turn()
        #expect(try broker.acks() == ["alice: 1"])
        try broker.advance(to: 61_000)
        _ = try broker.acks()

        // Each of its producers stays active: a new command every half a minute.
        for sequence in UInt64(1)...4 {
            for number in 1...30 {
                try broker.send(show("p\(number)-\(sequence)", sequence, by: Self.name(number)))
            }
            try broker.advance(by: 30_000)
        }
        #expect(broker.stats.producers == 19)
        _ = try broker.acks()
        other.send(Array(show("A", 1).utf8))
        other.send(Array(show("B", 2).utf8))
        other.send(Array(show("C", 1, by: bob).utf8))
        try broker.turn()
        #expect(try broker.acks() == ["alice: 2", "bob: 1"])
        #expect(broker.stats.repetitions == 1)
        #expect(broker.stats.producers == 20)
        // What the flood has settled is known as before.
        try broker.send(show("p1-4", 4, by: Self.name(1)))
        #expect(broker.stats.repetitions == 2)

        let (sessions, time) = (broker.sessions(), broker.time)
        try broker.close()
        let again = try Harness(configuration, journal: journal, at: time)
        #expect(again.sessions() == sessions)
    }

    @Test("tells a newcomer beyond its sender's share that it may come again")
    func refusal() throws {
        let broker = try Harness(Self.configuration(producers: 10), subscriptions: ["acks/"])
        for number in 1...9 { try broker.send(show("p\(number)", 1, by: Self.name(number))) }
        _ = try broker.acks()
        try broker.send(show("A", 1))
        #expect(try broker.acks() == ["alice: 0 !1 OVERLOAD after 1000"])
        // Who is silent for a minute makes room.
        try broker.advance(by: 61_000)
        _ = try broker.acks()
        try broker.send(show("A", 1))
        #expect(try broker.acks() == ["alice: 1"])
    }

    @Test("has no place for a known producer without denying what it has acknowledged")
    func known() throws {
        let journal = FullableJournal()
        let broker = try Harness(Self.configuration(producers: 1), journal: journal, subscriptions: ["acks/"])
        try broker.send(show("A", 1))
        try broker.advance(to: 61_000)
        _ = try broker.acks()
        journal.isFull = true
        try broker.send(show("B", 1, by: bob))
        journal.isFull = false
        #expect(try broker.acks() == ["bob: 0 !1 OVERLOAD after 1000"])
        try broker.send(show("C", 2))
        #expect(try broker.acks() == ["alice: 1 !2 OVERLOAD after 1000"])
        try broker.send(show("A", 1))
        #expect(try broker.acks() == ["alice: 1"])
    }

    @Test("has no room for a refusal: it settles nothing, and is told when there is room again")
    func refusalWithoutRoom() throws {
        var configuration = Self.configuration(producers: 100)
        configuration.limits.refusalLogLines = 0
        let broker = try Harness(configuration, subscriptions: ["acks/\(alice)/"])
        // All but the first one, so that none is below the window. Four times that is more than there is room for.
        for number in 1...4 {
            for sequence in UInt64(2)...513 {
                let dismissal = numbered(sequence, #""dismiss":{"id":"nobody"}"#, by: Self.name(number))
                broker.client.send(Array(dismissal.utf8))
            }
            try broker.turn()
        }
        try broker.advance(to: 1000)
        for sequence in UInt64(1)...13 {
            broker.client.send(Array(numbered(sequence, #""dismiss":{"id":"nobody"}"#).utf8))
        }
        try broker.turn()
        let refused = (1...12).map { " !\($0) NOT_FOUND" }.joined()
        #expect(try broker.acks().last == "alice: 12\(refused) !13 OVERLOAD after 1000")

        // After a day the flood is forgotten, two of its producers with each new one.
        try broker.jump(to: 86_400_000)
        try broker.send(show("B", 1, by: bob))
        _ = try broker.acks()
        try broker.send(numbered(13, #""dismiss":{"id":"nobody"}"#))
        #expect(try broker.acks().last == "alice: 13\(refused) !13 NOT_FOUND")
    }
}
