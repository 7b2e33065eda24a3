import PopupProtocol
import Testing

@Suite("A query is answered", .ownThread)
struct RepliesTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/")
        try wire.send([
            show("A", in: "store/1", #""priority":1,"surface":"top","durationMs":60000"#),
            show("B", in: "store/1", #""priority":5,"collapseKey":"k""#),
            show("C", in: "store/1", #""priority":2"#),
            show("D", in: "store/1", #""delayMs":60000"#),
            show("E", in: "store/2"),
            show("F", in: "other"), dismiss("F", "bye"),
        ])
        try wire.settle()
    }

    @Test("list: what a selector chooses, groups in byte order", arguments: WireEncoding.allCases)
    func list(encoding: WireEncoding) throws {
        guard case .list(let all) = try wire.ask(#""list":{}"#, encoding: encoding).result,
            case .list(let waiting) = try wire.ask(
                #""list":{"selector":{"group":"store/*","waiting":true}}"#, encoding: encoding
            ).result
        else {
            Issue.record("no list")
            return
        }

        #expect(
            all.popups.map(\.words) == [
                "B ACTIVE 5", "C WAITING 2", "A PAUSED 1", "D DELAYED 0", "E ACTIVE 0",
            ])
        #expect(all.popups.map(\.group) == ["store/1", "store/1", "store/1", "store/1", "store/2"])
        #expect(all.popups[2].surface == "top")
        #expect(1...60000 ~= all.popups[2].remainingMs)
        #expect(1...60000 ~= all.popups[3].delayMs)
        #expect(!all.truncated)
        #expect(waiting.popups.map(\.id) == ["C", "D"])
    }

    @Test("count: how many it chooses", arguments: WireEncoding.allCases)
    func count(encoding: WireEncoding) throws {
        let counts = try [
            #""count":{}"#, #""count":{"selector":{"group":"store/1"}}"#,
            #""count":{"selector":{"priorityAbove":1,"priorityBelow":5}}"#, #""count":{"selector":{"paused":true}}"#,
            #""count":{"selector":{"collapseKey":"k"}}"#, #""count":{"selector":{"group":"nobody/*"}}"#,
        ].map { try wire.ask($0, encoding: encoding).count.popups }

        #expect(counts == [5, 4, 1, 1, 1, 0])
    }

    @Test("peek: the active one, then the queue in its order, then what is delayed", arguments: WireEncoding.allCases)
    func peek(encoding: WireEncoding) throws {
        let peek = try wire.ask(#""peek":{"group":"store/1"}"#, encoding: encoding).peek

        #expect(peek.popups.map(\.words) == ["B ACTIVE 5", "C WAITING 2", "A PAUSED 1", "D DELAYED 0"])
    }

    @Test("explain: what keeps a popup where it is, or closed it", arguments: WireEncoding.allCases)
    func explain(encoding: WireEncoding) throws {
        let answers = try ["A", "B", "C", "D", "F", "nobody"].map {
            try wire.ask(#""explain":{"id":"\#($0)"}"#, encoding: encoding).explain
        }

        #expect(answers.map(\.id) == ["A", "B", "C", "D", "F", "nobody"])
        #expect(answers.map(\.phase) == [.paused, .active, .waiting, .delayed, .closed, .unknown])
        #expect(answers.map(\.rule) == ["queue", "active", "queue", "delayed", "closed", "unknown"])
        #expect(answers.map(\.blockers) == [["B", "C"], [], ["B"], [], [], []])
        #expect(answers.map(\.group) == ["store/1", "store/1", "store/1", "store/1", "other", ""])
        #expect(answers.allSatisfy { !$0.text.isEmpty })
        #expect(answers[4].closed.reason == .dismissed)
        #expect(answers[4].closed.action == "bye")
    }

    @Test("stats: the counters", arguments: WireEncoding.allCases)
    func stats(encoding: WireEncoding) throws {
        let stats = try wire.ask(#""stats":{}"#, encoding: encoding).stats

        #expect(stats.epoch == broker.epoch)
        #expect(stats.protocol == 1)
        #expect(!stats.version.isEmpty)
        #expect(stats.popups == 5)
        #expect(stats.remembered == 1)
        #expect(stats.groups >= 2)
        #expect(stats.commands >= 7)
        #expect(stats.refused == 0)
        // A shown, B over it, C and D queued, E shown, F shown and closed.
        #expect(stats.events == 8)
        #expect(stats.batches >= 1)
        #expect(stats.subscriptions >= 2)
    }

    @Test("with a refusal, when it is none", arguments: WireEncoding.allCases)
    func refusals(encoding: WireEncoding) throws {
        let queries = [
            (#""peek":{"group":"no group"}"#, WireRefused.Reason.invalid),
            (#""path":{"node":"n"}"#, .invalid),
        ]
        for (query, reason) in queries {
            let refused = try wire.ask(query, encoding: encoding).refused
            #expect(refused.reason == reason)
            #expect(!refused.detail.isEmpty)
        }
    }

    @Test("to the one who asked alone")
    func addressee() throws {
        let other = try broker.wire(following: "replies/somebody/")
        _ = try wire.ask(#""count":{}"#)
        try other.settle()

        let mine = "replies/\(wire.client)/"
        #expect(!other.arrivals.contains { $0.topic.hasPrefix(mine) })
    }
}
