import PopupBroker
import PopupJournal
import PopupProtocol
import Testing

@Suite("Queries")
struct QueryTests {
    private let broker: Harness

    init() throws {
        broker = try Harness(subscriptions: ["replies+json/me/"])
        try broker.send(
            #"{"producer":"000000000000000000000000000000aB","show":{"id":"A","group":"s/1","priority":1,"durationMs":5000,"surface":"top"}}"#,
            #"{"show":{"id":"B","group":"s/1","priority":3,"durationMs":9000,"collapseKey":"k"}}"#,
            #"{"show":{"id":"C","group":"s/1","delayMs":700}}"#, #"{"show":{"id":"D","group":"s/2"}}"#)
        try broker.advance(to: 100)
    }

    private func ask(_ query: String) throws -> String {
        try broker.send(#"{"query":{"client":"me","nonce":"1",\#(query)}}"#)
        let start = #"replies+json/me/1/ {"client":"me","nonce":"1","reply":"#
        let reply = try #require(broker.received().first)
        let end = #","epoch":"1"}"#
        #expect(reply.hasPrefix(start) && reply.hasSuffix(end))
        return String(reply.dropFirst(start.count).dropLast(end.count))
    }

    @Test(
        "that name no client or no nonce have no topic for an answer: none is published",
        arguments: [
            ("", "1"), ("me", ""), ("me/1", "2"), ("me", "a/b"), ("me", "\u{7}"),
            ("me", String(repeating: "n", count: 65)),
        ])
    func noTopic(client: String, nonce: String) throws {
        let everything = try Harness(subscriptions: [""])
        _ = everything.receivedMessages(of: everything.client)
        var command = WireCommand()
        command.query.client = client
        command.query.nonce = nonce
        command.query.stats = WireStatsQuery()
        try everything.send(command)
        #expect(everything.receivedMessages(of: everything.client).map(\.topic) == [])
        #expect(everything.stats.refused == 1)
    }

    @Test("list what a selector chooses")
    func list() throws {
        #expect(
            try ask(#""list":{"selector":{"group":"s/*","paused":true}}"#)
                == #"{"list":{"popups":[{"id":"A","group":"s/1","priority":1,"phase":"PAUSED","surface":"top","#
                + #""producer":"000000000000000000000000000000ab","attempt":1,"remainingMs":5000}]}}"#)
        #expect(
            try ask(#""list":{"selector":{"producer":"000000000000000000000000000000AB"}}"#).contains(#""id":"A""#))
        #expect(try ask(#""list":{"selector":{"group":"nowhere"}}"#) == #"{"list":{}}"#)
    }

    @Test("count what a selector chooses")
    func count() throws {
        #expect(try ask(#""count":{}"#) == #"{"count":{"popups":4}}"#)
        #expect(try ask(#""count":{"selector":{"group":"s/1","waiting":true}}"#) == #"{"count":{"popups":1}}"#)
    }

    @Test("peek at the queue in its order")
    func peek() throws {
        #expect(
            try ask(#""peek":{"group":"s/1"}"#)
                == #"{"peek":{"popups":[{"id":"B","group":"s/1","priority":3,"phase":"ACTIVE","collapseKey":"k","attempt":1,"remainingMs":8900},"#
                + #"{"id":"A","group":"s/1","priority":1,"phase":"PAUSED","surface":"top","producer":"000000000000000000000000000000ab","attempt":1,"remainingMs":5000},"#
                + #"{"id":"C","group":"s/1","phase":"DELAYED","delayMs":600}]}}"#)
    }

    @Test("explain what keeps a popup where it is")
    func explain() throws {
        #expect(
            try ask(#""explain":{"id":"A"}"#)
                == #"{"explain":{"id":"A","phase":"PAUSED","rule":"queue","blockers":["B"],"text":"it is next in the queue, after `B`","group":"s/1","rules":[{"rule":"queue","blockers":["B"],"text":"it is next in the queue, after `B`"}]}}"#
        )
        #expect(
            try ask(#""explain":{"id":"C"}"#)
                == #"{"explain":{"id":"C","phase":"DELAYED","rule":"delayed","text":"it arrives in 600 ms","group":"s/1","remainingMs":600,"rules":[{"rule":"delayed","text":"it arrives in 600 ms","remainingMs":600}]}}"#
        )
        try broker.send(#"{"dismiss":{"id":"D","action":"ok"}}"#)
        #expect(
            try ask(#""explain":{"id":"D"}"#)
                == #"{"explain":{"id":"D","phase":"CLOSED","rule":"closed","text":"it was dismissed with `ok`, after it was shown for 100 ms","#
                + #""closed":{"reason":"DISMISSED","action":"ok","displayedMs":100},"group":"s/2","closedAt":"100"}}"#)
        #expect(
            try ask(#""explain":{"id":"never"}"#)
                == #"{"explain":{"id":"never","rule":"unknown","text":"no popup has this id; it never existed, or was forgotten"}}"#
        )
    }

    @Test(
        "tell the way to a page",
        arguments: [
            (#""tree":"t""#, #"{"path":{"values":["home","history","video"],"joined":"home/history/video"}}"#),
            (#""tree":"t","node":"n2""#, #"{"path":{"values":["home","history"],"joined":"home/history"}}"#),
            (
                #""tree":"t","except":"history","separator":" > ""#,
                #"{"path":{"values":["home","video"],"joined":"home > video"}}"#
            ),
            (
                #""tree":"t","except":"shop""#,
                #"{"path":{"values":["home","history","video"],"joined":"home/history/video"}}"#
            ),
            (
                #""tree":"t","except":"""#,
                #"{"path":{"values":["home","history","video"],"joined":"home/history/video"}}"#
            ),
            (#""tree":"t","node":"n1","except":"home""#, #"{"path":{}}"#),
            (#""tree":"t","node":"n9""#, #"{"path":{}}"#), (#""tree":"other""#, #"{"path":{}}"#),
        ])
    func path(query: String, answer: String) throws {
        try broker.send(
            #"{"page":{"tree":"t","open":{"node":"n1","value":"home"}}}"#,
            #"{"page":{"tree":"t","open":{"node":"n2","parent":"n1","value":"history"}}}"#,
            #"{"page":{"tree":"t","open":{"node":"n3","parent":"n2","value":"video"}}}"#,
            #"{"page":{"tree":"t","enter":{"node":"n3"}}}"#)
        #expect(try ask(#""path":{\#(query)}"#) == answer)
    }

    @Test("tell the broker's counters")
    func stats() throws {
        #expect(
            try ask(#""stats":{}"#).hasPrefix(
                #"{"stats":{"epoch":"1","protocol":1,"version":"0.2.0","uptimeMs":"100","groups":"2","popups":"4","#
                    + #""commands":"4","events":"5","batches":"1","subscriptions":"1","#
                    + #""rememberedWindowMs":"86400000","#))
    }

    @Test("are answered with the broker's epoch in both encodings, and refused with it", arguments: ["", "+json"])
    func epoch(encoding: String) throws {
        let journal = MemoryJournal(firstEpoch: 6)
        try Harness(journal: journal).close()
        let broker = try Harness(journal: journal, subscriptions: ["replies\(encoding)/"])
        try broker.send(
            #"{"query":{"client":"me","nonce":"1","count":{}}}"#,
            #"{"query":{"client":"me","nonce":"2","peek":{"group":"*"}}}"#,
            #"{"query":{"client":"me","nonce":"3","whoami":{}}}"#)
        let replies = try broker.receivedMessages(of: broker.client).map { message in
            try (encoding.isEmpty ? WireEncoding.binary : .json).decode(message.body, as: WireReply.self)
        }
        #expect(Set(replies.map(\.nonce)) == ["1", "2", "3"])
        #expect(replies.map(\.epoch) == [7, 7, 7])
    }

    @Test("that are refused are answered so")
    func refused() throws {
        #expect(
            try ask(#""path":{"node":"n"}"#)
                == #"{"refused":{"reason":"INVALID","detail":"`query.path.tree` is missing"}}"#
        )
        #expect(
            try ask(#""peek":{"group":"*"}"#).hasPrefix(
                #"{"refused":{"reason":"INVALID","detail":"`query.peek.group` is no"#))
    }

    @Test("answer no more popups than the limit, and say so")
    func truncated() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 2
        let broker = try Harness(configuration, subscriptions: ["replies/"])
        for id in ["A", "B", "C"] { try broker.send(#"{"show":{"id":"\#(id)","group":"g"}}"#) }
        try broker.send(
            #"{"query":{"client":"me","nonce":"1","list":{}}}"#,
            #"{"query":{"client":"me","nonce":"2","peek":{"group":"g"}}}"#)
        let replies = try broker.receivedMessages(of: broker.client).map {
            try WireEncoding.binary.decode($0.body, as: WireReply.self)
        }
        #expect(replies.map(\.reply.list.truncated) == [true, false])
        #expect(replies.map(\.reply.peek.truncated) == [false, true])
        #expect(replies[0].reply.list.popups.map(\.id) == ["A", "B"])
    }

    @Test("the statistics count the reports that came too late; none of them is an event or a refusal")
    func lateReports() throws {
        let broker = try Harness(subscriptions: ["events/", "acks/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"g"}}"#,
            #"{"report":{"id":"A","client":"r","visible":{}}}"#, #"{"report":{"id":"B","client":"r","visible":{}}}"#,
            #"{"dismiss":{"id":"A"}}"#, #"{"report":{"id":"A","client":"r","hidden":{}}}"#,
            #"{"producer":"000000000000000000000000000000ab","sequence":"1","report":{"id":"A","client":"r","hidden":{}}}"#
        )
        let messages = try broker.received()
        #expect(messages.filter { $0.hasPrefix("events/") }.count == 4)
        #expect(messages.last == #"acks/000000000000000000000000000000ab/ {"epoch":"1","cumulative":"1"}"#)
        #expect(broker.stats.lateReports == 3)
        #expect(broker.stats.refused == 0)
    }
}
