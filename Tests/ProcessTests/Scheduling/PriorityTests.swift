import PopupProtocol
import Testing

@Suite("Priorities", .ownThread)
struct PriorityTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
    }

    @Test("let an urgent popup interrupt, and the interrupted one come back for the time it had left")
    func resumption() throws {
        try wire.send(show("A", in: "g", #""priority":1,"durationMs":4000"#))
        let shown = try wire.event("A shown", of: "g").event
        try wire.send(show("B", in: "g", #""priority":5,"durationMs":400"#))
        let paused = try wire.event("A paused", of: "g").event
        let resumed = try wire.event("A resumed", of: "g").event
        let closed = try wire.event("A closed TIMED_OUT", of: "g").event

        #expect(
            wire.events(of: "g").map(\.words) == [
                "A shown", "A paused", "B shown", "B closed TIMED_OUT", "A resumed", "A closed TIMED_OUT",
            ])
        #expect(resumed.time - paused.time >= 400)
        let first = paused.time - shown.time
        let second = closed.time - resumed.time
        #expect(4000...4100 ~= first + second)
        #expect(4000...4100 ~= closed.closed.displayedMs)
        let state = try #require(wire.states(of: "g").first { $0.revision == resumed.revision })
        #expect(state.active.remainingMs <= 4000 - UInt32(first))
        #expect(state.active.attempt == 1)
        #expect(state.active.sinceRevision == resumed.revision)
    }

    @Test("order the queue: the higher first, a paused one before its equals, equals as they came")
    func order() throws {
        try wire.send([
            show("low", in: "g", #""priority":1"#), show("mid-1", in: "g", #""priority":5"#),
            show("mid-2", in: "g", #""priority":5"#), show("top", in: "g", #""priority":9"#),
            show("low-2", in: "g", #""priority":1"#),
        ])
        guard case .peek(let peek) = try wire.ask(#""peek":{"group":"g"}"#).result else {
            Issue.record("no answer to peek")
            return
        }
        #expect(
            peek.popups.map(\.words) == [
                "top ACTIVE 9", "mid-1 PAUSED 5", "mid-2 WAITING 5", "low PAUSED 1", "low-2 WAITING 1",
            ])

        for _ in 1...5 { try wire.send(#"{"advance":{"group":"g"}}"#) }
        try wire.settle()
        let order = wire.events(of: "g").filter { $0.words.hasSuffix("ADVANCED") }.map(\.popup)
        #expect(order == ["top", "mid-1", "mid-2", "low", "low-2"])
        #expect(wire.states(of: "g").last?.words == "nothing")
    }

    @Test(
        "are read as the group's policy says",
        arguments: [
            ("PRIORITY", ["one shown", "two queued", "one paused", "three shown"]),
            ("FIFO", ["one shown", "two queued", "three queued"]),
            ("LIFO", ["one shown", "one paused", "two shown", "two paused", "three shown"]),
            ("POLITE", ["one shown", "two queued", "three queued"]),
            ("STACKED", ["one shown", "one paused", "two shown", "two paused", "three shown"]),
        ])
    func presets(preset: String, events: [String]) throws {
        try wire.send([
            #"{"setPolicy":{"group":"g","preset":"\#(preset)"}}"#, show("one", in: "g", #""priority":3"#),
            show("two", in: "g", #""priority":3"#), show("three", in: "g", #""priority":7"#),
        ])

        #expect(try wire.events(of: "g", events.count) == events)
        try wire.settle()
        #expect(wire.events(of: "g").map(\.words) == events)
    }

    @Test("interrupt nobody who may not be interrupted")
    func uninterruptible() throws {
        try wire.send([
            show("A", in: "g", #""priority":1,"interruptible":false"#), show("B", in: "g", #""priority":9"#),
            dismiss("A"),
        ])
        try wire.settle()

        #expect(
            wire.events(of: "g").map(\.words) == ["A shown", "B queued", "A closed DISMISSED ok", "B shown"])
    }
}
