import PopupProtocol
import Testing

@Suite("Groups", .ownThread)
struct GroupIsolationTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
    }

    @Test("do not see what happens in another")
    func isolation() throws {
        try wire.send([
            show("A", in: "lobby", #""priority":1"#),
            show("B", in: "kitchen", #""priority":9"#),
            show("C", in: "lobby", #""priority":5"#),
            show("D", in: "kitchen", #""priority":2"#),
            dismiss("C"),
            #"{"advance":{"group":"kitchen"}}"#,
        ])
        try wire.settle()

        #expect(
            wire.events(of: "lobby").map(\.words) == [
                "A shown", "A paused", "C shown", "C closed DISMISSED ok", "A resumed",
            ])
        #expect(
            wire.events(of: "kitchen").map(\.words) == ["B shown", "D queued", "B closed ADVANCED", "D shown"])
        #expect(wire.states(of: "lobby").map(\.words) == ["A", "C +1 paused", "A"])
        #expect(wire.states(of: "kitchen").map(\.words) == ["B", "B +1", "D"])
    }

    @Test("count their own revisions")
    func revisions() throws {
        try wire.send([show("A", in: "lobby"), show("B", in: "kitchen"), dismiss("A"), show("C", in: "lobby")])
        try wire.settle()

        #expect(wire.states(of: "lobby").map(\.revision) == [1, 2, 3])
        #expect(wire.states(of: "kitchen").map(\.revision) == [1])
    }

    @Test("are not those below them, nor those whose names begin alike")
    func names() throws {
        let groups = ["store", "store/1", "store/1/topbar", "store2", "Store"]
        for group in groups { try wire.send(show("in-\(group)", in: group)) }
        try wire.send(#"{"clear":{"selector":{"group":"store/*"}}}"#)
        try wire.settle()

        #expect(wire.events(of: "store").map(\.words) == ["in-store shown"])
        #expect(wire.events(of: "store/1").map(\.words) == ["in-store/1 shown", "in-store/1 closed CLEARED"])
        #expect(
            wire.events(of: "store/1/topbar").map(\.words) == [
                "in-store/1/topbar shown", "in-store/1/topbar closed CLEARED",
            ])
        #expect(wire.events(of: "store2").map(\.words) == ["in-store2 shown"])
        #expect(wire.events(of: "Store").map(\.words) == ["in-Store shown"])
    }
}
