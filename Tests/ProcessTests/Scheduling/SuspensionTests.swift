import Testing

@Suite("A suspension", .ownThread)
struct SuspensionTests {
    @Test("holds back what is below its priority until every token is released")
    func tokens() throws {
        let broker = try BrokerProcess()
        let wire = try broker.wire(following: "events/", "state/")
        try wire.send([
            show("A", in: "store/1"), show("B", in: "other"),
            #"{"suspend":{"group":"store/*","token":"call","minPriority":5}}"#,
            #"{"suspend":{"group":"store/1","token":"payment"}}"#,
            show("C", in: "store/1", #""priority":7"#),
            #"{"resume":{"token":"payment"}}"#,
            dismiss("C"),
            #"{"resume":{"token":"unknown"}}"#,
            #"{"resume":{"token":"call"}}"#,
        ])
        try wire.settle()

        #expect(
            wire.events(of: "store/1").map(\.words) == [
                "A shown", "A paused", "C queued", "C shown", "C closed DISMISSED ok", "A resumed",
            ])
        #expect(
            wire.states(of: "store/1").map(\.words) == [
                "A", "nothing +1 paused", "nothing +1 +1 paused", "C +1 paused", "nothing +1 paused", "A",
            ])
        #expect(wire.events(of: "other").map(\.words) == ["B shown"])
    }
}
