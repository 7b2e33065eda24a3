import PopupProtocol
import Testing

/// Bad input changes nothing and stops nobody.
@Suite("What the broker refuses", .ownThread)
struct RefusalsTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
        try wire.send(show("A", in: "g"))
        try wire.settle()
    }

    /// A command, the popup that it names, and why it is refused.
    struct Refused: CustomTestStringConvertible {
        let command: String
        let words: String

        init(_ words: String, _ command: String) {
            self.words = words
            self.command = command
        }

        var testDescription: String { "\(words) \(command.prefix(100))" }
    }

    @Test(
        "is told to the group, with a reason",
        arguments: [
            Refused("refused UNSUPPORTED", #"{"dance":{"group":"g"}}"#),
            Refused("X refused INVALID", show("X", in: "g", #""flow":{}"#)),
            Refused("X refused INVALID", show("X", in: "g", #""flow":{"key":"f","requires":{"popup":"X"}}"#)),
            Refused("X refused INVALID", show("X", in: "g", #""offerMs":-1"#)),
            Refused("X refused INVALID", show("X", in: "g", #""page":{"tree":"t"}"#)),
            Refused("X refused INVALID", show("X", in: "g", #""session":"a\nb""#)),
            Refused("X refused INVALID", show("X", in: "g", #""quorum":2,"quorumAll":true"#)),
            Refused("refused INVALID", #"{"setSession":{"group":"g","session":"\u0000"}}"#),
            Refused("refused INVALID", #"{"setPolicy":{"group":"g","caps":[{"most":0,"perMs":10}]}}"#),
            Refused(
                "refused INVALID",
                #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00","timeZone":"Mars/Base"}]}}"#),
            Refused("refused INVALID", #"{"setPolicy":{"group":"g","clock":"SUNDIAL"}}"#),
            Refused("X refused INVALID", show("X", in: "g", #""exclusive":"SOMETIMES""#)),
            Refused("X refused INVALID", show("X", in: "g", #""durationMs":-1"#)),
            Refused("X refused INVALID", show("X", in: "g", #""priority":2147483648"#)),
            Refused("X refused MALFORMED", show("X", in: "g", #""actions":7"#)),
            Refused("refused INVALID", #"{"setPolicy":{"group":"g","higher":"MAYBE"}}"#),
            Refused("refused INVALID", #"{"setPolicy":{"group":"g","gapMs":5,"gapMinMs":1,"gapMaxMs":2}}"#),
            Refused("X refused TOO_LARGE", show("X", in: "g", #""text":"\#(String(repeating: "x", count: 65_537))""#)),
            Refused("A refused STALE", #"{"dismiss":{"id":"A","action":"ok","revision":"0"}}"#),
        ])
    func told(refused: Refused) throws {
        try wire.send(refused.command)

        #expect(try wire.events(of: "g", 2) == ["A shown", refused.words])
        let refusal = try #require(wire.events(of: "g").last)
        #expect(refusal.revision == 0)
        #expect(!refusal.refused.detail.isEmpty)
        try unchanged(refused: 1)
    }

    @Test(
        "is counted where no group is known",
        arguments: [
            #"{"show":"#, "{}", "{", #"{"show":{"id":"X"}}"#, show("X", in: "not a group"), show("X", in: "a//b"),
            show("X", in: "a/b/c/d/e/f/g/h/i"), show("X", in: String(repeating: "x", count: 65)),
            #"{"dismiss":{"id":"nobody"}}"#, #"{"clear":{}}"#, #"{"commands":[{"show":}]}"#,
            #"{"report":{"id":"A","displayed":{}}}"#, #"{"lease":{"groups":["g"]}}"#,
            #"{"page":{"tree":"t"}}"#, "not a command", "\u{1}\u{2}\u{3}",
        ])
    func counted(frame: String) throws {
        try wire.send(frame)

        try wire.settle()
        try unchanged(refused: 1)
    }

    @Test("are messages of other than one or two frames, the empty one, and text that is not UTF-8")
    func messages() throws {
        let command = Array(show("X", in: "g").utf8)
        var invalid = command
        invalid[invalid.firstIndex(of: UInt8(ascii: "X"))!] = 0xFF
        let messages: [[[UInt8]]] = [
            [[]], [[], []], [command, command, command], [invalid], [[0xFF, 0xFE, 0x00]],
            [[0x7A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]],
            // The connection is cut off for it.
            [[UInt8]](repeating: command, count: 4000),
        ]
        for message in messages { try wire.send(frames: message) }
        try wire.settle()

        try unchanged(refused: UInt64(messages.count))
    }

    /// Nobody else noticed anything, and all goes on.
    private func unchanged(refused: UInt64) throws {
        try wire.settle()
        #expect(wire.states.map(\.words) == ["A"])
        #expect(wire.events.count { !$0.words.contains("refused") } == 1)
        #expect(try wire.ask(#""stats":{}"#).stats.refused == refused)
        try wire.send(dismiss("A"))
        try wire.state("nothing", of: "g")
    }
}
