import PopupProtocol
import PopupSimulation
import Testing

@testable import PopupBroker

@Suite("What a broker is sent")
struct SimulatedCommandsTests {
    private static let plain: [(Int64, String)] = [
        (0, #"{"setPolicy":{"group":"g","preset":"STACKED","gapMs":100,"maxWaiting":2}}"#),
        (0, #"{"show":{"id":"A","group":"g","durationMs":1000}}"#),
        (10, #"{"show":{"id":"B","group":"g","priority":2,"durationMs":500,"minDisplayMs":200}}"#),
        (20, #"{"show":{"id":"C","group":"g","priority":3,"ttlMs":100}}"#),
        (150, #"{"show":{"id":"D","group":"g"}}"#), (160, #"{"show":{"id":"E","group":"g"}}"#),
        (300, #"{"update":{"id":"A","priority":9,"text":"x"}}"#), (400, #"{"advance":{"group":"g"}}"#),
        (450, #"{"suspend":{"group":"*","token":"t","minPriority":5}}"#), (900, #"{"resume":{"token":"t"}}"#),
        (1000, #"{"show":{"id":"F","group":"h","exclusive":"ALL","durationMs":50}}"#),
        (1010, #"{"clear":{"selector":{"group":"h"}}}"#),
    ]

    /// Every command and nearly every field beyond the plain ones.
    static let whole: [(Int64, String)] = [
        (0, #"{"setPolicy":{"group":"f","gatherMs":100}}"#),
        (0, #"{"show":{"id":"C","group":"f","flow":{"key":"k","stage":3}}}"#),
        (10, #"{"show":{"id":"A","group":"f","flow":{"key":"k","stage":1,"holdMs":50}}}"#),
        (20, #"{"show":{"id":"B","group":"f","flow":{"key":"k","stage":2,"requires":{"popup":"A","action":"ok"}}}}"#),
        (150, #"{"dismiss":{"id":"A","action":"ok"}}"#), (160, #"{"dismiss":{"id":"B"}}"#),
        (170, #"{"dismiss":{"id":"C"}}"#),
        (200, #"{"setPolicy":{"group":"o","offerMs":100,"offerDefault":"CLOSE","retryMs":30}}"#),
        (200, #"{"show":{"id":"O1","group":"o","durationMs":40}}"#),
        (210, #"{"answer":{"id":"O1","client":"r1","later":{}}}"#), (215, #"{"show":{"id":"O2","group":"o"}}"#),
        (220, #"{"answer":{"id":"O2","client":"r1","veto":{}}}"#),
        (250, #"{"answer":{"id":"O1","client":"r1","accept":{}}}"#),
        (290, #"{"show":{"id":"O3","group":"o"}}"#),
        (
            400,
            #"{"setPolicy":{"group":"r","rendererLost":"REQUEUE","clock":"VISIBLE","displayTimeoutMs":50,"undisplayed":"SKIP","maxAttempts":2}}"#
        ),
        (400, #"{"lease":{"client":"r1","groups":["r","o/*"]}}"#),
        (400, #"{"show":{"id":"R1","group":"r","durationMs":100}}"#),
        (460, #"{"report":{"id":"R1","client":"r1","visible":{}}}"#),
        (480, #"{"report":{"id":"R1","client":"r1","hidden":{}}}"#), (500, #"{"lease":{"client":"r1"}}"#),
        (600, #"{"show":{"id":"Q","group":"q","quorum":2}}"#),
        (610, #"{"dismiss":{"id":"Q","action":"a","client":"r1"}}"#),
        (620, #"{"dismiss":{"id":"Q","action":"b","client":"r2"}}"#),
        (700, #"{"setPolicy":{"group":"c","caps":[{"capKey":"k","most":1,"perMs":500}],"agingMs":10}}"#),
        (700, #"{"show":{"id":"C1","group":"c","capKey":"k","durationMs":5}}"#),
        (700, #"{"show":{"id":"C2","group":"c","capKey":"k","durationMs":5}}"#),
        (800, #"{"setPolicy":{"group":"p","pageTree":"t"}}"#),
        (800, #"{"show":{"id":"P","group":"p","page":{"tree":"t","value":"shop","scope":"WITHIN"}}}"#),
        (810, #"{"page":{"tree":"t","open":{"node":"1","value":"home"}}}"#),
        (820, #"{"page":{"tree":"t","open":{"node":"2","parent":"1","value":"shop"}}}"#),
        (830, #"{"page":{"tree":"t","enter":{"node":"2"}}}"#), (840, #"{"page":{"tree":"t","close":{"node":"2"}}}"#),
        (850, #"{"page":{"tree":"t","enter":{"node":"9"}}}"#),
        (900, #"{"show":{"id":"S1","group":"s","session":"x"}}"#),
        (910, #"{"setSession":{"group":"s","session":"x"}}"#), (920, #"{"setSession":{"group":"s"}}"#),
        (
            950,
            #"{"setPolicy":{"group":"n","quiet":[{"from":"00:00","to":"23:59","timeZone":"Asia/Kolkata","minPriority":1}]}}"#
        ),
        (950, #"{"show":{"id":"N","group":"n"}}"#), (960, #"{"show":{"id":"M","group":"n","priority":1}}"#),
    ]

    private static func numbered(_ sequence: Int, _ command: String) -> String {
        #"{"producer":"000000000000000000000000000000ab","sequence":"\#(sequence)",\#(command)}"#
    }

    /// Numbered commands: new ones, repetitions, a sequence used twice, a gap, refused ones and what is not a command.
    static let numberedCommands: [(Int64, String)] = [
        (0, numbered(1, #""show":{"id":"A","group":"g","priority":1}"#)),
        (10, numbered(1, #""show":{"id":"A","group":"g","priority":1}"#)),
        (20, numbered(1, #""show":{"id":"B","group":"g","priority":9}"#)),
        (30, numbered(3, #""advance":{"group":"g"}"#)), (40, #"{"show":{"id":"C","group":"g"}}"#),
        (50, numbered(3, #""advance":{"group":"g"}"#)), (60, numbered(2, #""show":{"id":"D","group":"a//b"}"#)),
        (70, numbered(2, #""show":{"id":"D","group":"a//b"}"#)),
        (80, numbered(2, #""show":{"id":"D","group":"g"}"#)),
        (90, numbered(4, #""answer":{"id":"C","client":"c","accept":{}}"#)),
        (100, numbered(4, #""answer":{"id":"C","client":"c","accept":{}}"#)),
        (110, numbered(5, #""dance":{"group":"g"}"#)), (120, numbered(5, #""dance":{"group":"g"}"#)),
        (130, numbered(5, #""dance":{"group":"h"}"#)), (140, numbered(6, #""dismiss":{"id":"C","group":"g"}"#)),
        (150, numbered(7, #""query":{"client":"c","nonce":"1","count":{}}"#)),
        (160, numbered(7, #""query":{"client":"c","nonce":"1","count":{}}"#)),
    ]

    @Test("gives the same events as a simulation", arguments: [plain, whole, numberedCommands])
    func sameAsBroker(lines: [(Int64, String)]) throws {
        var simulated: [WireEvent] = []
        var simulation = try Simulation(SimulationSettings(timeZones: TimeZoneDirectory.system))
        // A refusal that names no group has no topic on which it could be published.
        func keep(_ output: Simulation.Output) {
            if case .event(let event, _) = output, !event.group.isEmpty { simulated.append(event) }
        }
        let broker = try Harness(subscriptions: ["events/"])
        for (time, line) in lines {
            simulation.apply(Ingress.receivedCommands(in: Array(line.utf8))[0], at: time, tell: keep)
            try broker.advance(to: time)
            try broker.send(line)
        }
        simulation.finish(tell: keep)
        try broker.advance(to: 50_000)
        let published = try broker.receivedMessages(of: broker.client).map {
            try WireEncoding.binary.decode($0.body, as: WireEvent.self)
        }
        // Only a broker has an epoch.
        for index in simulated.indices { simulated[index].epoch = broker.epoch }
        #expect(simulated == published)
        #expect(simulated.count > 7)
    }
}
