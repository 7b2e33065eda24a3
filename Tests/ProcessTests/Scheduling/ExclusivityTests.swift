import PopupProtocol
import Testing

@Suite("An exclusive popup", .ownThread)
struct ExclusivityTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
        try wire.send([
            show("A", in: "g", #""priority":5"#), show("B", in: "g", #""priority":7,"interruptible":false"#),
            show("C", in: "g", #""priority":6"#), show("D", in: "h", #""priority":100"#),
        ])
        try wire.settle()
    }

    @Test("of a group closes everything else there, the highest first, and nothing elsewhere")
    func group() throws {
        let before = wire.events(of: "g").count
        try wire.send(show("X", in: "g", #""priority":-3,"exclusive":"GROUP""#))
        try wire.settle()

        #expect(
            wire.events(of: "g").dropFirst(before).map(\.words) == [
                "B closed SUPERSEDED", "C closed SUPERSEDED", "A closed SUPERSEDED", "X shown",
            ])
        #expect(wire.states(of: "g").last?.words == "X")
        #expect(wire.events(of: "h").map(\.words) == ["D shown"])
    }

    @Test("of all groups closes everything everywhere and is shown in its own")
    func all() throws {
        try wire.send(show("X", in: "z", #""exclusive":"ALL""#))
        try wire.settle()

        #expect(wire.events(of: "h").map(\.words) == ["D shown", "D closed SUPERSEDED"])
        #expect(wire.events(of: "z").map(\.words) == ["X shown"])
        #expect(
            wire.events.filter { $0.closed.reason == .superseded }.map(\.popup) == ["B", "C", "A", "D"])
        #expect(["g", "h", "z"].map { wire.states(of: $0).last?.words } == ["nothing", "nothing", "X"])
    }

    @Test("leaves the queue going: what comes later meets it by the ordinary rules")
    func afterwards() throws {
        try wire.send([
            show("X", in: "g", #""priority":1,"exclusive":"GROUP""#), show("low", in: "g", #""priority":0"#),
            show("high", in: "g", #""priority":2"#), dismiss("high"), dismiss("X"),
        ])
        try wire.settle()

        #expect(
            wire.events(of: "g").suffix(8).map(\.words) == [
                "X shown", "low queued", "X paused", "high shown", "high closed DISMISSED ok", "X resumed",
                "X closed DISMISSED ok", "low shown",
            ])
    }
}
