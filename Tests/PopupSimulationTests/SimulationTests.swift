import PopupBroker
import PopupProtocol
import PopupSimulation
import Testing

@Suite("A simulation")
struct SimulationTests {
    private let settings = SimulationSettings(timeZones: TimeZoneDirectory.system)

    private func run(_ lines: [(Int64, String)], start: Int64 = 0) throws -> [String] {
        var simulation = try Simulation(settings, start: start)
        var output: [String] = []
        for (time, line) in lines {
            for command in Ingress.receivedCommands(in: Array(line.utf8)) {
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

    @Test("counts the popups that no timer will show: paused ones too, but not the active one")
    func waiting() throws {
        var simulation = try Simulation(settings)
        let lines = [
            #"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"g","priority":1}}"#,
            #"{"show":{"id":"C","group":"h","session":"s"}}"#, #"{"show":{"id":"D","group":"i","durationMs":9}}"#,
            #"{"show":{"id":"E","group":"i","delayMs":5,"durationMs":9}}"#,
        ]
        for line in lines { simulation.apply(Ingress.receivedCommands(in: Array(line.utf8))[0], at: 0) { _ in } }
        #expect(simulation.waitingCount() == 3)
        simulation.finish { _ in }
        #expect(simulation.waitingCount() == 2)
    }

    @Test("prints refusals with their group if it is known, and replies")
    func refusalsAndReplies() throws {
        #expect(
            try run([
                (5, #"{"show":{"id":"A","group":"g","flow":{}}}"#), (6, #"{"dismiss":{"id":"A"}}"#),
                (7, #"{"fly":{}}"#), (8, #"{"query":{"client":"me","nonce":"1","count":{}}}"#),
            ]) == [
                #"{"at":5,"group":"g","popup":"A","refused":{"reason":"INVALID","detail":"`show.flow.key` is missing"}}"#,
                #"{"at":6,"popup":"A","refused":{"reason":"NOT_FOUND","detail":"no popup has this id; it never existed, or was forgotten"}}"#,
                #"{"at":7,"refused":{"reason":"UNSUPPORTED","detail":"`fly` is not a command of protocol version 1; see the list of commands in the protocol's documentation"}}"#,
                #"{"at":8,"client":"me","nonce":"1","reply":{"count":{}}}"#,
            ])
    }

    @Test("ends with the last timer, although quiet windows recur every day")
    func quietWindows() throws {
        #expect(
            try run(
                [
                    (
                        0,
                        #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin","minPriority":5}]}}"#
                    ),
                    (0, #"{"show":{"id":"A","group":"g","durationMs":100}}"#),
                    (1000, #"{"show":{"id":"B","group":"g","priority":5,"durationMs":100}}"#),
                    // Seven o'clock in Berlin is six by UTC in winter.
                    (21_600_000, #"{"query":{"client":"c","nonce":"1","explain":{"id":"A"}}}"#),
                ]) == [
                    #"{"at":0,"group":"g","popup":"A","queued":{}}"#,
                    #"{"at":1000,"group":"g","popup":"B","shown":{"attempt":1}}"#,
                    #"{"at":1100,"group":"g","popup":"B","closed":{"reason":"TIMED_OUT","displayedMs":100}}"#,
                    #"{"at":21600000,"group":"g","popup":"A","shown":{"attempt":1}}"#,
                    #"{"at":21600000,"client":"c","nonce":"1","reply":{"explain":{"id":"A","phase":"ACTIVE","rule":"active","text":"it is the active popup of its group","group":"g"}}}"#,
                    #"{"at":21600100,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":100}}"#,
                ])
    }

    @Test("prints the path of a group's tree with its events")
    func paths() throws {
        #expect(
            try run([
                (0, #"{"setPolicy":{"group":"g","pageTree":"t"}}"#),
                (1, #"{"page":{"tree":"t","open":{"node":"1","value":"home"}}}"#),
                (2, #"{"page":{"tree":"t","open":{"node":"2","parent":"1","value":"shop"}}}"#),
                (3, #"{"show":{"id":"A","group":"g"}}"#), (4, #"{"page":{"tree":"t","enter":{"node":"2"}}}"#),
                (5, #"{"dismiss":{"id":"A","action":"buy"}}"#),
                (6, #"{"query":{"client":"c","nonce":"1","path":{"tree":"t","separator":">"}}}"#),
            ]) == [
                #"{"at":3,"group":"g","popup":"A","path":["home"],"shown":{"attempt":1}}"#,
                #"{"at":5,"group":"g","popup":"A","path":["home","shop"],"closed":{"reason":"DISMISSED","action":"buy","displayedMs":2}}"#,
                #"{"at":6,"client":"c","nonce":"1","reply":{"path":{"values":["home","shop"],"joined":"home>shop"}}}"#,
            ])
    }

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

    @Test("a repetition changes nothing, a reused sequence is refused, a repeated query is answered again")
    func sequences() throws {
        #expect(
            try run(Self.numberedCommands).map { $0.replacing(/,"detail":.*/, with: "") } == [
                #"{"at":0,"group":"g","popup":"A","shown":{"attempt":1}}"#,
                #"{"at":20,"group":"g","popup":"B","refused":{"reason":"SEQUENCE_REUSED""#,
                #"{"at":30,"group":"g","popup":"A","closed":{"reason":"ADVANCED","displayedMs":30}}"#,
                #"{"at":40,"group":"g","popup":"C","shown":{"attempt":1}}"#,
                #"{"at":60,"popup":"D","refused":{"reason":"INVALID""#,
                #"{"at":80,"group":"g","popup":"D","refused":{"reason":"SEQUENCE_REUSED""#,
                #"{"at":90,"group":"g","popup":"C","refused":{"reason":"STALE""#,
                #"{"at":110,"group":"g","refused":{"reason":"UNSUPPORTED""#,
                #"{"at":130,"refused":{"reason":"SEQUENCE_REUSED""#,
                #"{"at":140,"group":"g","popup":"C","closed":{"reason":"DISMISSED","displayedMs":100}}"#,
                #"{"at":150,"client":"c","nonce":"1","reply":{"count":{}}}"#,
                #"{"at":160,"client":"c","nonce":"1","reply":{"count":{}}}"#,
            ])
    }
}
