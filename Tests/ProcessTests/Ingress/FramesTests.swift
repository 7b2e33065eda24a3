import PopupProtocol
import Testing

@Suite("A frame", .ownThread)
struct FramesTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
    }

    /// Three popups, one of them for a group that is none.
    private let commands = [
        show("A", in: "g", #""priority":1"#), show("B", in: "not a group"), show("C", in: "g", #""priority":2"#),
    ]

    @Test("of JSON may hold a batch; a refused command does not hold back the others")
    func batch() throws {
        try wire.send(#"{"commands":[\#(commands.joined(separator: ","))]}"#)

        #expect(try wire.events(of: "g", 3) == ["A shown", "A paused", "C shown"])
        #expect(try wire.ask(#""stats":{}"#).stats.refused == 1)
    }

    @Test("of binary may, too")
    func binaryBatch() throws {
        var batch = WireBatch()
        batch.commands = try commands.map { try WireEncoding.json.decode(Array($0.utf8)) }
        try wire.send(frames: [try WireEncoding.binary.encode(batch)])

        #expect(try wire.events(of: "g", 3) == ["A shown", "A paused", "C shown"])
        #expect(try wire.ask(#""stats":{}"#).stats.refused == 1)
    }

    @Test("may stand behind a topic, which counts for nothing")
    func topic() throws {
        var command = WireCommand()
        command.dismiss.id = "A"
        try wire.send(frames: [Array("commands/g/".utf8), Array(show("A", in: "g").utf8)])
        try wire.send(frames: [[], try WireEncoding.binary.encode(command)])

        #expect(try wire.events(of: "g", 2) == ["A shown", "A closed DISMISSED"])
    }

    @Test("with fields that this version does not know is taken without them")
    func unknownFields() throws {
        try wire.send(#"{"show":{"id":"A","group":"g","mood":"good","nested":{"x":[1,2]}},"trace":"17"}"#)

        #expect(try wire.events(of: "g", 1) == ["A shown"])
    }

    @Test("of the largest size is taken")
    func largest() throws {
        let frame = show("A", in: "g", #""unknown":""#).dropLast(2)
        let padding = String(repeating: "x", count: 131_072 - frame.utf8.count - 3)
        try wire.send(frame + padding + "\"}}")

        #expect(try wire.events(of: "g", 1) == ["A shown"])
    }

    @Test("above it cuts its sender off, and nobody else")
    func oversized() throws {
        let other = try broker.wire(following: "events/")
        let sender = try broker.wire()
        for _ in 1...3 {
            try sender.send(frames: [[UInt8](repeating: 0x20, count: 131_073)])
            try sender.wait(for: "being cut off") { !$0.isHeard }
            try other.send(show("A\(other.events.count)", in: "g"))
            try other.settle()
            // Its client connects again, and is welcome.
            try sender.waitForBroker()
        }
        try sender.send(show("B", in: "h"))

        #expect(try other.events(of: "h", 1) == ["B shown"])
        #expect(other.events(of: "g").map(\.words) == ["A0 shown", "A1 queued", "A2 queued"])
    }
}
