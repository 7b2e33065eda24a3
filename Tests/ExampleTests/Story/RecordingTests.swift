import PopupClient
import Testing

@testable import replay_producer

@Suite("Recordings of commands")
struct RecordingTests {
    @Test("the simulation's format, blank lines left out")
    func read() throws {
        let recording = try Recording(
            """
            {"at":0,"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}

            {"at":500,"dismiss":{"id":"A","action":"ok"}}
            """)
        #expect(recording.entries.map(\.at) == [.zero, .milliseconds(500)])
        #expect(recording.entries.map(\.command.summary) == ["show A in g, priority 1", "dismiss A ok"])
    }

    @Test(
        "a wrong line is named",
        arguments: [
            ("{\"at\":0,\"advance\":{\"group\":\"g\"}}\nhello", 2, "not a JSON object"),
            ("{\"show\":{\"group\":\"g\"}}", 1, "`at`"),
            ("{\"at\":9,\"advance\":{\"group\":\"g\"}}\n{\"at\":3,\"advance\":{\"group\":\"g\"}}", 2, "earlier"),
            ("{\"at\":1,\"dance\":{}}", 1, "UNSUPPORTED"),
            (#"{"at":1,"show":{"group":"g","durationMS":5}}"#, 1, "did you mean `durationMs`?"),
            ("{\"at\":-1,\"advance\":{\"group\":\"g\"}}", 1, "from 0"),
            ("{\"at\":0.5,\"advance\":{\"group\":\"g\"}}", 1, "whole ms"),
        ])
    func wrong(text: String, line: Int, words: String) {
        let problem = #expect(throws: Recording.Problem.self) { try Recording(text) }
        #expect(problem?.line == line)
        #expect(problem?.message.contains(words) == true)
    }

    @Test("another round is about other popups")
    func rounds() throws {
        let recording = try Recording(
            """
            {"at":0,"show":{"id":"A","group":"g"}}
            {"at":1,"update":{"id":"A","priority":3}}
            {"at":2,"dismiss":{"id":"A","action":"ok"}}
            {"at":3,"show":{"group":"g"}}
            """)
        let renamed = recording.entries.map { $0.command.renamed("-2") }
        #expect(renamed.map(\.show?.id) == ["A-2", nil, nil, ""])
        #expect(renamed[1].update?.id == "A-2")
        #expect(renamed[2].dismiss?.id == "A-2")
    }

    @Test("twice as fast, every time is half as long; none is none")
    func tempo() throws {
        let recording = try Recording(
            """
            {"at":0,"show":{"id":"A","group":"g","durationMs":3000,"delayMs":1,"priority":8}}
            {"at":1,"setPolicy":{"group":"g","gapMs":500,"maxWaiting":9}}
            """)
        let tempo = try #require(Tempo(2))
        let commands = recording.entries.map { tempo.command($0.command) }
        let popup = try #require(commands[0].show)
        #expect([popup.durationMs, popup.ttlMs, popup.delayMs] == [1500, 0, 1])
        #expect(popup.priority == 8)
        let policy = try #require(commands[1].setPolicy)
        #expect((policy.gapMs, policy.maxWaiting, policy.gapMinMs) == (250, 9, nil))
        #expect(tempo.time(.seconds(3)) == .milliseconds(1500))
        #expect(Tempo(0) == nil)
    }
}
