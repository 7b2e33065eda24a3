import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
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
                $0.id = "B"; $0.group = "g"; $0.flowWithoutKey()
            }
        }
        let batch: [UInt8] = try WireBatch.with { $0.commands = [bad, good] }.serializedBytes()
        broker.client.send(batch)
        broker.client.send(batch.dropLast())
        try broker.turn()
        #expect(try broker.receivedEvents() == ["0 g B refused INVALID", "0 g A shown 1"])
        #expect(broker.stats.refused == 2)
    }

    @Test("makes ids that are absent, none twice")
    func madeIDs() throws {
        let broker = try Harness(journal: MemoryJournal(firstEpoch: 7), subscriptions: ["events/"])
        try broker.send(#"{"show":{"group":"g"}}"#, #"{"show":{"group":"g"}}"#)
        #expect(try broker.receivedEvents() == ["0 g popup-7-1 shown 1", "0 g popup-7-2 queued"])
    }

    @Test(
        "refuses what is over a limit by the key of the limit, and changes nothing",
        arguments: [
            ("limits.membersPerFlow", #"{"show":{"id":"B","group":"g","flow":{"key":"f"}}}"#),
            ("deduplication.maxIDs", #"{"show":{"id":"B","group":"g"}}"#),
            ("limits.groupsPerLease", #"{"lease":{"client":"r","groups":["a","b"]}}"#),
            ("limits.pageTrees", #"{"page":{"tree":"u","open":{"node":"1","value":"v"}}}"#),
            ("limits.pagesPerTree", #"{"page":{"tree":"t","open":{"node":"2","parent":"1","value":"v"}}}"#),
            ("limits.renderers", #"{"lease":{"client":"s","groups":["a"]}}"#),
        ])
    func limits(key: String, json: String) throws {
        var configuration = BrokerConfiguration()
        configuration.scheduling.membersPerFlow = 1
        configuration.scheduling.maxIDs = 1
        configuration.scheduling.groupsPerLease = 1
        configuration.scheduling.pageTrees = 1
        configuration.scheduling.pagesPerTree = 1
        configuration.scheduling.renderers = 1
        let broker = try Harness(configuration)
        try broker.send(
            #"{"show":{"id":"A","group":"g","flow":{"key":"f"}}}"#, #"{"lease":{"client":"r","groups":["a"]}}"#,
            #"{"page":{"tree":"t","open":{"node":"1","value":"v"}}}"#)
        #expect(broker.stats.refused == 0)
        let refusal = try broker.perform(Ingress.command(json: Array(json.utf8)))
        #expect(refusal?.reason == .overload)
        #expect(refusal?.detail == "the limit `\(key)` is reached; try again later or raise it")
        #expect(broker.stats.refused == 1)
        #expect(broker.stats.popups == 1)
    }

    @Test(
        "refuses a time zone that isn't there by its name and folder",
        arguments: ["Europe/Berlim", "zone.tab", "../etc/passwd", "/etc/passwd", "Europe", "Europe//Berlin"])
    func timeZones(name: String) throws {
        let broker = try Harness()
        let window = #"{"from":"22:00","to":"07:00","timeZone":"\#(name)"}"#
        let command = try Ingress.command(json: Array(#"{"setPolicy":{"group":"g","quiet":[\#(window)]}}"#.utf8))
        let refusal = try #require(try broker.perform(command))
        #expect(refusal.reason == .invalid)
        #expect(refusal.group == GroupName("g"))
        #expect(refusal.detail.hasPrefix("`setPolicy.quiet[0].timeZone` is "))
    }
}

extension WirePopup {
    fileprivate mutating func flowWithoutKey() { flow.stage = 1 }

    @Test("with its list of commands in many pieces is no way round the bound of its refusals")
    func repeatedLists() throws {
        let broker = try Harness()
        let lists = (1...100).map { #""commands":[\#($0)]"# }.joined(separator: ",")
        try broker.send("{\(lists)}")
        #expect(broker.stats.refused == 17)
        try broker.send(#"{"commands":[{"show":{"id":"A","group":"g"}}],"commands":[{"show":{"id":"B","group":"h"}}]}"#)
        #expect(broker.stats.popups == 2)
    }
}
