import PopupBroker
import PopupProtocol
import Testing

@Suite("A simulation")
struct SimulationTests {
    private func run(_ lines: [(Int64, String)], start: Int64 = 0) throws -> [String] {
        var simulation = try Simulation(start: start)
        var output: [String] = []
        for (time, line) in lines {
            for command in Ingress.commands(in: Array(line.utf8)) {
                simulation.apply(command, at: time) { output.append($0.jsonLine) }
            }
        }
        simulation.finish { output.append($0.jsonLine) }
        return output
    }

    @Test(
        "prints each event with its time, to the end of the last timer", arguments: [0, 1_700_000_000_000] as [Int64])
    func documentedExample(start: Int64) throws {
        #expect(
            try run(
                [
                    (0, #"{"at":0,"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}"#),
                    (500, #"{"at":500,"show":{"id":"B","group":"g","priority":9}}"#),
                    (900, #"{"at":900,"dismiss":{"id":"B","action":"ok"}}"#),
                ], start: start) == [
                    #"{"at":0,"group":"g","popup":"A","shown":{"attempt":1}}"#,
                    #"{"at":500,"group":"g","popup":"A","paused":{}}"#,
                    #"{"at":500,"group":"g","popup":"B","shown":{"attempt":1}}"#,
                    #"{"at":900,"group":"g","popup":"B","closed":{"reason":"DISMISSED","action":"ok","displayedMs":400}}"#,
                    #"{"at":900,"group":"g","popup":"A","resumed":{}}"#,
                    #"{"at":3400,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":3000}}"#,
                ])
    }

    @Test("prints refusals with the group that is known, and replies")
    func refusalsAndReplies() throws {
        #expect(
            try run([
                (5, #"{"show":{"id":"A","group":"g","flow":{}}}"#), (6, #"{"dismiss":{"id":"A"}}"#),
                (7, #"{"fly":{}}"#), (8, #"{"query":{"client":"me","nonce":"1","count":{}}}"#),
            ]) == [
                #"{"at":5,"group":"g","popup":"A","refused":{"reason":"INVALID","detail":"`show.flow.key` is missing"}}"#,
                #"{"at":6,"popup":"A","refused":{"reason":"UNKNOWN","detail":"no popup has this id; it never was, or was forgotten"}}"#,
                #"{"at":7,"refused":{"reason":"UNSUPPORTED","detail":"none of `fly` is a command of protocol version 1; see the list of commands in the protocol's documentation"}}"#,
                #"{"at":8,"client":"me","nonce":"1","reply":{"count":{}}}"#,
            ])
    }

    @Test("gives the same events as a broker")
    func sameAsBroker() throws {
        let lines: [(Int64, String)] = [
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
        var simulated: [WireEvent] = []
        var simulation = try Simulation()
        func keep(_ output: Simulation.Output) { if case .event(let event, _) = output { simulated.append(event) } }
        let broker = try Harness(subscriptions: ["events/"])
        for (time, line) in lines {
            simulation.apply(Ingress.commands(in: Array(line.utf8))[0], at: time, tell: keep)
            try broker.advance(to: time)
            try broker.send(line)
        }
        simulation.finish(tell: keep)
        try broker.advance(to: 100_000)
        let published = try broker.receivedMessages(of: broker.client).map {
            try WireEncoding.binary.decode($0.body, as: WireEvent.self)
        }
        #expect(simulated == published)
        #expect(simulated.count > 15)
    }
}
