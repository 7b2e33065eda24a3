import PopupProtocol
import Testing

@Suite("The broadcast", .ownThread)
struct StateTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "state/", "events/", "feed/", "heartbeat/")
    }

    /// Some of everything in ten groups.
    private func traffic() throws {
        for round in 0..<60 {
            let group = "g\(round % 10)"
            try wire.send(show("P\(round)", in: group, #""priority":\#(round * 7 % 5)"#))
            if round % 3 == 0 { try wire.send(#"{"advance":{"group":"\#(group)"}}"#) }
            if round % 4 == 0 { try wire.send(#"{"update":{"id":"P\#(round)","text":"round \#(round)"}}"#) }
        }
        try wire.settle()
    }

    @Test("carries the epoch of the broker and revisions that go up by one")
    func revisions() throws {
        try traffic()

        #expect(wire.states.allSatisfy { $0.epoch == broker.epoch })
        for group in (0..<10).map({ "g\($0)" }) {
            let revisions = wire.states(of: group).map(\.revision)
            let all = wire.repeatedStates(of: group).map(\.revision)
            #expect(all == all.sorted())
            #expect(revisions.count > 6)
            #expect(revisions == Array(1...UInt64(revisions.count)))
            let events = wire.events(of: group).filter { $0.refused.reason == .unspecified }.map(\.revision)
            #expect(events == events.sorted())
            #expect(Set(events).isSubset(of: Set(revisions)))
        }
    }

    @Test("on the feed has the same states as on the state channel, in the same order")
    func feed() throws {
        try traffic()

        let fed = wire.feeds.flatMap(\.states)
        #expect(fed.count == wire.states.count)
        for group in (0..<10).map({ "g\($0)" }) {
            #expect(fed.filter { $0.group == group } == wire.states(of: group))
        }
    }

    @Test("says why a state changed")
    func causes() throws {
        try wire.send([show("A", in: "g"), show("B", in: "g", #""priority":1"#), dismiss("B", "later")])
        try wire.settle()

        let causes = wire.states(of: "g").map(\.cause)
        #expect(causes.map(\.kind) == [.shown, .paused, .closed])
        #expect(causes.map(\.popup) == ["A", "A", "B"])
        #expect(causes[2].reason == .dismissed)
        #expect(causes[2].action == "later")
    }

    @Test("beats every second, with the revisions of what changed lately")
    func heartbeat() throws {
        try wire.send([show("A", in: "g"), show("B", in: "h"), dismiss("B")])
        try wire.settle()
        let before = wire.heartbeat.count
        try wire.wait(for: "three heartbeats") { $0.heartbeat.count >= before + 3 }

        let beats = wire.heartbeat[before..<before + 3]
        #expect(beats.allSatisfy { $0.heartbeat.epoch == broker.epoch })
        for beat in beats {
            let heartbeat = Dictionary(uniqueKeysWithValues: beat.heartbeat.groups.map { ($0.group, $0.revision) })
            #expect(heartbeat == ["g": 1, "h": 2])
        }
        // Three in a row, on a machine that may hold up some.
        try wire.wait(for: "heartbeats a second apart") { wire in
            let times = wire.heartbeat.map(\.at)
            return zip(times, times.dropFirst(2)).contains { .milliseconds(1500)..<(.milliseconds(3500)) ~= $1 - $0 }
        }
    }

    @Test("hands a popup's content and hints on as they came")
    func content() throws {
        let fields = #"""
            "priority":3,"text":"Grüße ☕","contentType":"text/plain","surface":"top","collapseKey":"k",
            "actions":[{"id":"yes","label":"Ja"},{"id":"no","label":"Nein"}],
            "presentation":{"scene":"BOTTOM_SHEET","animation":"SLIDE","dismissOnOutside":true,"cornerRadius":12,
            "title":"Kaffee","style":"info"}
            """#.split(separator: "\n").joined()
        try wire.send(show("A", in: "g", fields))
        let active = try wire.state("A", of: "g").active

        var sent: WirePopup = try WireEncoding.json.decode(Array(#"{"id":"A","group":"g",\#(fields)}"#.utf8))
        sent.attempt = 1
        sent.sinceRevision = 1
        #expect(active == sent)
    }
}
