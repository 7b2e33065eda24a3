import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Admission")
struct AdmissionTests {
    @Test("takes commands in binary and JSON, alone and in batches, with and without a topic")
    func frames() throws {
        let broker = try Harness(subscriptions: ["state/"])
        func show(_ id: String) -> WireCommand {
            .with {
                $0.show = .with {
                    $0.id = id; $0.group = id
                }
            }
        }
        try broker.send(show("a"))
        try broker.send(#"{"show":{"id":"b","group":"b"}}"#)
        let batch = WireBatch.with { $0.commands = [show("c"), show("d")] }
        broker.client.send(try batch.serializedBytes())
        broker.client.send(frames: [Array("topic".utf8), try show("e").serializedBytes()])
        broker.client.send(frames: [Array("topic".utf8), Array(#"{"show":{"id":"f","group":"f"}}"#.utf8)])
        try broker.turn()
        #expect(try broker.receivedStates() == ["a", "b", "c", "d", "e", "f"].map { "\($0)#1 \($0) (shown \($0))" })
    }

    @Test("drops messages of more than two frames and goes on")
    func tooManyFrames() throws {
        let broker = try Harness(subscriptions: ["state/"])
        let show = Array(#"{"show":{"id":"A","group":"g"}}"#.utf8)
        broker.client.send(frames: [[], show, show])
        broker.client.send(show)
        try broker.turn()
        #expect(try broker.receivedStates() == ["g#1 A (shown A)"])
        #expect(broker.stats.refused == 1)
    }

    @Test("keeps the good commands of a batch, and none of a broken one")
    func batches() throws {
        let broker = try Harness(subscriptions: ["events/"])
        let good = WireCommand.with {
            $0.show = .with {
                $0.id = "A"; $0.group = "g"
            }
        }
        let bad = WireCommand.with {
            $0.show = .with {
                $0.id = "B"; $0.group = "g"; $0.sessionBound()
            }
        }
        let batch: [UInt8] = try WireBatch.with { $0.commands = [bad, good] }.serializedBytes()
        broker.client.send(batch)
        broker.client.send(batch.dropLast())
        try broker.turn()
        #expect(try broker.receivedEvents() == ["0 g B refused UNSUPPORTED", "0 g A shown 1"])
        #expect(broker.stats.refused == 2)
    }

    @Test("makes ids that are absent, none twice")
    func madeIDs() throws {
        let broker = try Harness(journal: MemoryJournal(firstEpoch: 7), subscriptions: ["events/"])
        try broker.send(#"{"show":{"group":"g"}}"#, #"{"show":{"group":"g"}}"#)
        #expect(try broker.receivedEvents() == ["0 g popup-7-1 shown 1", "0 g popup-7-2 queued"])
    }

    @Test(
        "refuses what isn't there yet by the field's name",
        arguments: [
            (#"{"show":{"group":"g","flow":{"key":"f"}}}"#, "show.flow"),
            (#"{"show":{"group":"g","page":{"tree":"t","value":"v"}}}"#, "show.page"),
            (#"{"show":{"group":"g","session":"s"}}"#, "show.session"),
            (#"{"show":{"group":"g","offerMs":1}}"#, "show.offerMs"),
            (#"{"show":{"group":"g","quorum":2}}"#, "show.quorum"),
            (#"{"show":{"group":"g","quorumAll":true}}"#, "show.quorumAll"),
            (#"{"show":{"group":"g","capKey":"k"}}"#, "show.capKey"),
            (#"{"setPolicy":{"group":"g","gatherMs":1}}"#, "setPolicy.gatherMs"),
            (#"{"setPolicy":{"group":"g","clock":"VISIBLE"}}"#, "setPolicy.clock"),
            (#"{"setPolicy":{"group":"g","offerMs":1}}"#, "setPolicy.offerMs"),
            (#"{"setPolicy":{"group":"g","offerDefault":"CLOSE"}}"#, "setPolicy.offerDefault"),
            (#"{"setPolicy":{"group":"g","retryMs":1}}"#, "setPolicy.retryMs"),
            (#"{"setPolicy":{"group":"g","displayTimeoutMs":1}}"#, "setPolicy.displayTimeoutMs"),
            (#"{"setPolicy":{"group":"g","undisplayed":"SKIP"}}"#, "setPolicy.undisplayed"),
            (#"{"setPolicy":{"group":"g","rendererLost":"CLOSE"}}"#, "setPolicy.rendererLost"),
            (#"{"setPolicy":{"group":"g","maxAttempts":2}}"#, "setPolicy.maxAttempts"),
            (#"{"setPolicy":{"group":"g","quorum":2}}"#, "setPolicy.quorum"),
            (#"{"setPolicy":{"group":"g","quorumAll":true}}"#, "setPolicy.quorumAll"),
            (#"{"setPolicy":{"group":"g","caps":[{"most":1,"perMs":1}]}}"#, "setPolicy.caps"),
            (
                #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00","timeZone":"UTC"}]}}"#,
                "setPolicy.quiet"
            ),
            (#"{"setPolicy":{"group":"g","agingMs":1}}"#, "setPolicy.agingMs"),
            (#"{"setPolicy":{"group":"g","pageTree":"t"}}"#, "setPolicy.pageTree"),
            (#"{"setSession":{"group":"g","session":"s"}}"#, "setSession"),
        ])
    func unsupported(json: String, field: String) throws {
        let broker = try Harness(subscriptions: ["events/"])
        try broker.send(json)
        let event = try #require(broker.receivedMessages(of: broker.client).first)
        let refused = try WireEvent(serializedBytes: event.body).refused
        #expect(refused.reason == .unsupported)
        #expect(refused.detail == "`\(field)` is not supported by this broker yet; leave it out")
    }

    @Test(
        "refuses the renderers' and pages' commands as unsupported",
        arguments: [
            #"{"report":{"id":"A","client":"r","displayed":{}}}"#, #"{"answer":{"id":"A","client":"r","veto":{}}}"#,
            #"{"lease":{"client":"r","groups":["g"]}}"#, #"{"page":{"tree":"t","clear":{}}}"#,
        ])
    func unsupportedCommands(json: String) throws {
        let broker = try Harness()
        let command = try Ingress.command(json: Array(json.utf8))
        #expect(try broker.perform(command)?.reason == .unsupported)
    }
}

extension WirePopup {
    fileprivate mutating func sessionBound() { session = "s" }
}
