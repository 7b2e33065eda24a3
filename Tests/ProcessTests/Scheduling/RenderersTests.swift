import PopupProtocol
import Testing

@Suite("Two renderers", .ownThread)
struct RenderersTests {
    let broker: BrokerProcess
    let left: Wire
    let right: Wire

    init() throws {
        broker = try BrokerProcess()
        left = try broker.wire(following: "events/", "state/")
        right = try broker.wire(following: "events/", "state/")
    }

    @Test("that dismiss one popup at once: the first wins, the other is told STALE, it closes once")
    func race() throws {
        for round in 1...20 {
            let id = "P\(round)"
            try left.send(show(id, in: "g"))
            let seen = try left.state(id, of: "g").active.sinceRevision
            try right.state(id, of: "g")
            for (renderer, action) in [(left, "confirm"), (right, "cancel")] {
                try renderer.send(#"{"dismiss":{"id":"\#(id)","action":"\#(action)","revision":"\#(seen)"}}"#)
            }
            let answers = { (wire: Wire) in wire.events(of: "g").filter { $0.popup == id }.dropFirst().map(\.words) }
            try left.wait(for: "both answers to \(id)") { answers($0).count >= 2 }

            let first = answers(left)[0] == "\(id) closed DISMISSED confirm" ? "confirm" : "cancel"
            #expect(answers(left) == ["\(id) closed DISMISSED \(first)", "\(id) refused STALE"])
        }
        try left.settle()
        try right.settle()

        #expect(left.events.map(\.words) == right.events.map(\.words))
        #expect(left.events.count { $0.words.contains("closed") } == 20)
    }

    @Test("agree on an answer to what was shown before: it is STALE")
    func olderRevision() throws {
        try left.send(show("A", in: "g"))
        let seen = try left.state("A", of: "g").active.sinceRevision
        try left.send(#"{"update":{"id":"A","text":"new price"}}"#)
        try left.event("A updated", of: "g")
        try right.send(#"{"dismiss":{"id":"A","action":"buy","revision":"\#(seen)"}}"#)
        try left.event("A refused STALE", of: "g")
        let current = try #require(left.states(of: "g").last?.active.sinceRevision)
        try right.send(#"{"dismiss":{"id":"A","action":"buy","revision":"\#(current)"}}"#)

        #expect(
            try left.events(of: "g", 4) == ["A shown", "A updated", "A refused STALE", "A closed DISMISSED buy"])
    }

    @Test("that send the same popup again change nothing")
    func duplicates() throws {
        try left.send(show("A", in: "g"))
        try left.settle()
        try right.send(show("A", in: "g", #""priority":99"#))
        try right.settle()
        try left.send([dismiss("A"), show("A", in: "g")])
        try left.settle()

        #expect(left.events(of: "g").map(\.words) == ["A shown", "A closed DISMISSED ok"])
        #expect(left.states(of: "g").map(\.words) == ["A", "nothing"])
    }
}
