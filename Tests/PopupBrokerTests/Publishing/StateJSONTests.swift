@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("A state in JSON")
struct StateJSONTests {
    @Test(
        "says what the binary one says, whatever happens to the popup",
        arguments: [
            ["show"],
            [
                #"{"show":{"id":"A","group":"g","text":"zwei\nZeilen \"und\" \\ \u0001 👩‍👩‍👧","priority":-7,"durationMs":900}}"#
            ],
            [#"{"show":{"id":"A","group":"g","data":"AAEC","contentType":"x/y"}}"#],
            [#"{"show":{"id":"A","group":"g","flow":{"key":"k","stage":1},"quorum":2,"capKey":"c"}}"#],
            [
                #"{"show":{"surface":"top","presentation":{"scene":"CENTER","title":"T","backdrop":true,"cornerRadius":8},"#
                    + #""actions":[{"id":"ok","label":"OK"},{"id":"no"}],"interruptible":false,"group":"g","id":"A"}}"#
            ],
            [#"{"show":{"id":"A","group":"g","remainingMs":9,"attempt":3,"sinceRevision":"7","text":""}}"#],
            ["show", #"{"show":{"id":"B","group":"g","priority":9}}"#, #"{"dismiss":{"id":"B","action":"ok"}}"#],
            ["show", #"{"show":{"id":"B","group":"g","collapseKey":"k","exclusive":"GROUP"}}"#],
            ["show", #"{"update":{"id":"A","text":"new"}}"#, #"{"clear":{"selector":{"group":"g"}}}"#],
            [#"{"show":{"id":"A","group":"g","offerMs":900}}"#, "show"],
            ["show", #"{"suspend":{"token":"t","group":"g"}}"#, #"{"resume":{"token":"t"}}"#],
            [#"{"commands":[{"show":{"id":"A","group":"g"}},{"show":{"id":"B","group":"g","minDisplayMs":5}}]}"#],
        ])
    func same(commands: [String]) throws {
        let broker = try Harness(subscriptions: ["state/", "state+json/"])
        for command in commands { try broker.send(command == "show" ? #"{"show":{"id":"A","group":"g"}}"# : command) }
        try broker.advance(by: 2000)
        let messages = broker.receivedMessages(of: broker.client)
        let binary = try messages.filter { $0.topic.hasPrefix("state/") }.map(Harness.state)
        let json = try messages.filter { $0.topic.hasPrefix("state+json/") }.map(Harness.state)
        #expect(!binary.isEmpty && json == binary)
    }

    @Test("names each reason as the schema does", arguments: CloseReason.allCases)
    func reasons(reason: CloseReason) throws {
        let closed = WireClosed.with { $0.reason = WireClosed.Reason(reason) }
        #expect(try closed.jsonString() == String(decoding: closed.jsonBytes, as: UTF8.self))
    }

    @Test("of a numbered show that is sent again in other words counts once; another show contradicts")
    func numbered() throws {
        let journal = FullableJournal()
        let producer = #""producer":"a11cea11cea11cea11cea11cea11cea1","sequence":"1""#
        let text = "{\(producer),\"show\":{\"id\":\"A\",\"group\":\"g\",\"priority\":0}}"
        let broker = try Harness(journal: journal)
        try broker.send(text, text, "{\"show\":{\"group\":\"g\",\"id\":\"\\u0041\"},\(producer)}")
        try broker.send(try Ingress.command(json: Array(text.utf8)))
        #expect(broker.stats.repetitions == 3 && broker.stats.sequencesReused == 0)
        try broker.send("{\(producer),\"show\":{\"id\":\"B\",\"group\":\"g\"}}")
        #expect(broker.stats.sequencesReused == 1)
        try broker.close()
        let again = try Harness(journal: journal)
        try again.send(text)
        #expect(again.stats.repetitions == 1)
    }
}
