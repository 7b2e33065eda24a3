import PopupProtocol
import Testing

@Suite("Who joins late", .ownThread)
struct LateJoinerTests {
    let broker: BrokerProcess
    let producer: Wire

    init() throws {
        broker = try BrokerProcess(arguments: ["--set", "egress.refreshIntervalMs=3600000"])
        producer = try broker.wire(following: "state/")
        try producer.send([
            show("A", in: "store", #""durationMs":60000,"text":"hello","actions":[{"id":"ok","label":"OK"}]"#),
            show("B", in: "store/1"), show("C", in: "store/1/topbar"), show("D", in: "store2"),
            show("E", in: "gone"), dismiss("E"),
        ])
        try producer.settle()
    }

    @Test(
        "gets the current state repeated because of the subscription alone",
        arguments: ["state", "state+json", "state+frame"])
    func repetition(channel: String) throws {
        let joiner = try broker.wire(following: "\(channel)/store/")
        let state = try joiner.state("A", of: "store")

        var original = try #require(producer.states(of: "store").first)
        #expect(state.active.remainingMs <= original.active.remainingMs)
        original.active.remainingMs = state.active.remainingMs
        // Why it changed is told once.
        original.clearCause()
        #expect(state == original)
    }

    @Test("gets the groups below, never those whose names only begin alike")
    func prefix() throws {
        let joiner = try broker.wire(following: "state/store/")
        for (popup, group) in [("A", "store"), ("B", "store/1"), ("C", "store/1/topbar")] {
            try joiner.state(popup, of: group)
        }
        try producer.send([show("F", in: "store2", #""priority":1"#), show("G", in: "store/1", #""priority":1"#)])
        try joiner.state("G +1 paused", of: "store/1")
        try joiner.settle()

        #expect(Set(joiner.states.map(\.group)) == ["store", "store/1", "store/1/topbar"])
    }

    @Test("gets every group by subscribing to the channel")
    func everything() throws {
        let joiner = try broker.wire(following: "state/")
        for (popup, group) in [("A", "store"), ("B", "store/1"), ("C", "store/1/topbar"), ("D", "store2")] {
            try joiner.state(popup, of: group)
        }
    }

    @Test("is served beside others that join with it, each once")
    func together() throws {
        let joiners = try (1...10).map { _ in try Wire(connectingTo: broker.ingress, broker.egress) }
        for joiner in joiners { try joiner.subscribe(to: "state/store2/") }
        for joiner in joiners { try joiner.state("D", of: "store2") }
    }
}

@Suite("The state", .ownThread)
struct RefreshTests {
    @Test("of a group with an active popup is sent again and again, of an emptied one three times")
    func refresh() throws {
        let broker = try BrokerProcess(arguments: ["--set", "egress.refreshIntervalMs=150"])
        let wire = try broker.wire(following: "state/")
        try wire.send([show("A", in: "busy", #""durationMs":600000"#), show("B", in: "idle"), dismiss("B")])
        // The first comes when the group's turn in the interval does, the others 150 ms apart, or a little late: eight of
        // them in a row, on a machine that may hold up some.
        try wire.wait(for: "eight refreshes, 150 ms apart") { wire in
            let remaining = wire.repeatedStates(of: "busy").dropFirst().map(\.active.remainingMs)
            return zip(remaining, remaining.dropFirst(7)).contains { 950...1700 ~= $0 - $1 }
        }
        try wire.wait(for: "the refreshes of the emptied group") { $0.repeatedStates(of: "idle").count >= 5 }

        let busy = wire.repeatedStates(of: "busy")
        #expect(busy.allSatisfy { $0.revision == 1 && $0.words == "A" })
        let remaining = busy.map(\.active.remainingMs)
        #expect(remaining == remaining.sorted(by: >))
        #expect(
            wire.repeatedStates(of: "idle").map { "\($0.revision) \($0.words)" } == [
                "1 B", "2 nothing", "2 nothing", "2 nothing", "2 nothing",
            ])
    }
}
