import PopupProtocol
import Testing

/// The broker and the simulation run the same rules on the same commands: given the times at which a broker applied
/// some, the simulation says what that broker did, to the millisecond, however busy the machine was.
@Suite("Commands over the sockets", .ownThread)
struct SameEventsTests {
    /// Commands that are sent together, in one frame, and so applied at one time.
    struct Instant {
        var at: Int
        var commands: [String]

        init(_ at: Int, _ commands: String...) {
            self.at = at
            self.commands = commands
        }
    }

    private static let scenarios: [[Instant]] = [
        [
            Instant(0, show("A", in: "g", #""priority":1,"durationMs":900"#)),
            Instant(100, show("B", in: "g", #""priority":9"#)),
            Instant(300, dismiss("B")),
            Instant(400, show("C", in: "h", #""ttlMs":200"#), show("D", in: "h", #""ttlMs":200"#)),
            Instant(500, dismiss("B"), dismiss("C", "yes")),
        ],
        [
            Instant(
                0,
                #"{"setPolicy":{"group":"g/*","preset":"STACKED","gapMs":150,"maxWaiting":2,"overflow":"DROP_OLDEST"}}"#,
                show("A", in: "g/1", #""priority":1,"durationMs":700"#)),
            Instant(100, show("B", in: "g/1", #""priority":1,"durationMs":300,"collapseKey":"k""#)),
            Instant(
                200, show("C", in: "g/1", #""priority":2,"collapseKey":"k""#), show("D", in: "g/1"),
                show("E", in: "g/1"), show("F", in: "g/1")),
            Instant(300, #"{"advance":{"group":"g/1"}}"#),
            Instant(500, #"{"update":{"id":"A","durationMs":300,"restartTimer":true}}"#),
            Instant(1200, #"{"clear":{"selector":{"group":"g/*"}}}"#),
        ],
        [
            Instant(
                0, show("A", in: "a", #""priority":3,"minDisplayMs":400"#),
                show("B", in: "b", #""interruptible":false"#)),
            Instant(100, show("C", in: "a", #""priority":7,"delayMs":100"#)),
            Instant(200, #"{"suspend":{"group":"b","token":"t","minPriority":1}}"#, show("D", in: "b")),
            Instant(600, show("E", in: "c", #""exclusive":"ALL","durationMs":200"#)),
            Instant(700, #"{"resume":{"token":"t"}}"#, show("A", in: "a"), #"{"advance":{"group":"nobody"}}"#),
        ],
        // Flows, and offers.
        [
            Instant(
                0, #"{"setPolicy":{"group":"f","gatherMs":150}}"#,
                show("C", in: "f", #""flow":{"key":"k","stage":3}"#)),
            Instant(
                50, show("A", in: "f", #""flow":{"key":"k","stage":1,"holdMs":200}"#), show("X", in: "f"),
                #"{"setPolicy":{"group":"o","offerMs":200,"offerDefault":"CLOSE","retryMs":100}}"#,
                show("O", in: "o", #""durationMs":100"#), show("V", in: "o")),
            Instant(
                300, dismiss("A", "ok"), #"{"answer":{"id":"O","client":"r","later":{}}}"#,
                #"{"answer":{"id":"V","client":"r","veto":{}}}"#),
            Instant(
                400, show("B", in: "f", #""flow":{"key":"k","stage":2,"requires":{"popup":"A","action":"ok"}}"#),
                #"{"answer":{"id":"O","client":"r","accept":{}}}"#),
            Instant(700, dismiss("B"), dismiss("C"), dismiss("X")),
        ],
        // Renderers, caps, pages and sessions.
        [
            Instant(
                0, #"{"setPolicy":{"group":"r","rendererLost":"CLOSE","clock":"VISIBLE"}}"#,
                #"{"lease":{"client":"r1","groups":["r","q/*"]}}"#, show("R", in: "r", #""durationMs":200"#),
                show("L", in: "r"), show("Q", in: "q/1", #""quorum":2"#),
                #"{"setPolicy":{"group":"c","caps":[{"capKey":"k","most":1,"perMs":500}],"defaultDurationMs":50}}"#,
                show("K1", in: "c", #""capKey":"k""#), show("K2", in: "c", #""capKey":"k""#)),
            Instant(
                100, #"{"report":{"id":"R","client":"r1","visible":{}}}"#,
                #"{"dismiss":{"id":"Q","action":"a","client":"r1"}}"#, #"{"setPolicy":{"group":"p","pageTree":"t"}}"#,
                #"{"page":{"tree":"t","open":{"node":"1","value":"home"}}}"#,
                show("P", in: "p", #""page":{"tree":"t","value":"shop"}"#), show("S", in: "s", #""session":"x""#)),
            Instant(
                200, #"{"dismiss":{"id":"Q","action":"b","client":"r2"}}"#,
                #"{"page":{"tree":"t","open":{"node":"2","parent":"1","value":"shop"}}}"#,
                #"{"page":{"tree":"t","enter":{"node":"2"}}}"#, #"{"setSession":{"group":"s","session":"x"}}"#),
            Instant(
                500, #"{"report":{"id":"L","client":"r1","displayed":{}}}"#, #"{"lease":{"client":"r1"}}"#,
                #"{"page":{"tree":"t","close":{"node":"2"}}}"#, #"{"setSession":{"group":"s"}}"#),
        ],
    ]

    @Test("give the events that a simulation of them gives, at the same times", arguments: scenarios.indices)
    func same(scenario: Int) throws {
        let broker = try BrokerProcess()
        let wire = try broker.wire(following: "events/")
        let begin = ContinuousClock.now
        var sent: [[String]] = []
        for (index, instant) in Self.scenarios[scenario].enumerated() {
            _ = try wire.waits(before: .at(begin + .milliseconds(instant.at))) { _ in false }
            // In a group of its own: tells when the frame was applied.
            let marker = show("m\(index)", in: "marker/\(index)")
            sent.append([marker] + instant.commands)
            try wire.send(#"{"commands":[\#(sent[index].joined(separator: ","))]}"#)
        }
        let times = try sent.indices.map { try wire.event("m\($0) shown", of: "marker/\($0)").event.time }
        let lines = zip(times, sent).flatMap { time, commands in
            commands.map { "{\"at\":\(time - times[0])," + $0.dropFirst() }
        }
        let simulated = try simulate(lines)
        _ = try wire.waits { $0.events.count >= simulated.count }
        try wire.settle()

        #expect(simulated == wire.events.map { words($0, at: $0.time - times[0]) })
    }

    private func simulate(_ lines: [String]) throws -> [String] {
        let folder = try TemporaryDirectory()
        let file = try folder.write("commands.jsonl", lines.joined(separator: "\n"))
        return try ChildProcess(Programs.broker, ["simulate", file]).result().lines.map { line in
            let match = try #require(line.wholeMatch(of: /{"at":([0-9]+),(.*)/))
            let event: WireEvent = try WireEncoding.json.decode(Array("{\(match.2)".utf8))
            return words(event, at: try #require(UInt64(match.1)))
        }
    }

    private func words(_ event: WireEvent, at time: UInt64) -> String {
        let displayed = event.closed.displayedMs > 0 ? " after \(event.closed.displayedMs)" : ""
        return "\(time) \(event.group) \(event.words)\(displayed)"
    }
}
