@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The work of a turn")
struct TurnWorkTests {
    private static let groups = 20_000
    /// What a turn may do, and one step after that.
    private static let maxEvents = UInt64(TurnBudget.ofTurn + 2100)

    /// A broker with a popup in each of many groups.
    private func broker(_ journal: any Journal = KeepingJournal(), _ fields: String = "") throws -> Harness {
        let broker = try Harness(journal: journal)
        for start in stride(from: 0, to: Self.groups, by: 500) {
            let shows = (start..<start + 500).map { #"{"show":{"id":"p\#($0)","group":"g/\#($0)"\#(fields)}}"# }
            broker.client.send(Array(#"{"commands":[\#(shows.joined(separator: ","))]}"#.utf8))
        }
        try broker.turn()
        return broker
    }

    /// The events of each turn until there is nothing more to do.
    private func turns(of broker: Harness) throws -> [UInt64] {
        var counts: [UInt64] = []
        var before = broker.stats.events
        while try broker.turnOnce() {
            counts.append(broker.stats.events - before)
            before = broker.stats.events
        }
        counts.append(broker.stats.events - before)
        return counts
    }

    /// A start from the journal comes to what the broker has come to.
    private func isRecovered(_ broker: Harness, from journal: any Journal, at time: Milliseconds) throws -> Bool {
        let state = broker.schedulerState()
        try broker.close()
        return try Harness(journal: journal, at: time).schedulerState() == state
    }

    @Test(
        "is a bounded part of a command for all groups",
        arguments: [
            #"{"clear":{"selector":{"group":"*"}}}"#, #"{"suspend":{"group":"*","token":"t"}}"#,
            #"{"show":{"id":"x","group":"g/7","exclusive":"ALL"}}"#,
        ])
    func wideCommand(_ command: String) throws {
        let journal = KeepingJournal()
        let broker = try broker(journal)
        broker.client.send(Array(command.utf8))
        let turns = try turns(of: broker)
        #expect(turns.reduce(0, +) >= UInt64(Self.groups))
        #expect(turns.allSatisfy { $0 <= Self.maxEvents }, "\(turns)")
        #expect(turns.count { $0 > 0 } > 1)
        #expect(try isRecovered(broker, from: journal, at: 0))
    }

    @Test("is a bounded part of the timers that are due at one instant, and commands come after all of them")
    func timers() throws {
        let journal = KeepingJournal()
        let broker = try broker(journal, #","durationMs":1000"#)
        broker.client.subscribe(to: "events/g/7/")
        try broker.turn()
        _ = broker.receivedMessages(of: broker.client)
        broker.client.send(Array(#"{"dismiss":{"id":"p7"}}"#.utf8))
        broker.jumpWithoutTurn(to: 1500)
        let turns = try turns(of: broker)
        #expect(turns.reduce(0, +) >= UInt64(Self.groups))
        #expect(turns.allSatisfy { $0 <= Self.maxEvents }, "\(turns)")
        #expect(turns.count { $0 > 0 } > 1)
        #expect(
            try broker.receivedEvents() == ["1000 g/7 p7 closed timedOut after 1000ms", "1500 g/7 p7 refused STALE"])
        #expect(try isRecovered(broker, from: journal, at: 1500))
    }

    @Test("leaves room for queries and for commands of others, which are applied after it")
    func others() throws {
        let broker = try broker()
        for prefix in ["replies+json/c/", "events/n/"] { broker.client.subscribe(to: prefix) }
        try broker.turn()
        broker.client.send(Array(#"{"clear":{"selector":{"group":"*"}}}"#.utf8))
        #expect(try broker.turnOnce())
        #expect(broker.stats.popups > 0, "all was done in one turn")
        broker.client.send(Array(#"{"query":{"client":"c","nonce":"1","stats":{}}}"#.utf8))
        broker.client.send(Array(#"{"show":{"id":"N","group":"n"}}"#.utf8))
        #expect(try broker.turnOnce())
        let answer = try #require(broker.receivedMessages(of: broker.client).first)
        #expect(answer.topic == "replies+json/c/1/")
        let reply = try WireEncoding.json.decode(answer.body, as: WireReply.self)
        #expect(reply.reply.stats.popups > 0)
        try broker.turn()
        #expect(try broker.receivedEvents() == ["0 n N shown 1"])
        #expect(broker.stats.popups == 1)
    }

    @Test("is a bounded part of a batch whose commands each go through a long queue")
    func longLines() throws {
        let broker = try Harness()
        for start in stride(from: 0, to: 20_000, by: 500) {
            let shows = (start..<start + 500).map { #"{"show":{"id":"p\#($0)","group":"g","session":"none"}}"# }
            broker.client.send(Array(#"{"commands":[\#(shows.joined(separator: ","))]}"#.utf8))
        }
        try broker.turn()
        // More of them in one frame would be refused.
        for session in 0..<50 {
            broker.client.send(Array(#"{"setSession":{"group":"g","session":"s\#(session)"}}"#.utf8))
        }
        let before = broker.stats.commands
        #expect(try broker.turnOnce())
        // Each goes through 20,000 popups, which is more than a turn may.
        #expect(broker.stats.commands == before + 1)
        try broker.turn()
        #expect(broker.stats.commands == before + 50)
    }

    @Test("doesn't keep a lease from its end, and the end of a lease is a bounded part of it")
    func leases() throws {
        let journal = KeepingJournal()
        let broker = try broker(journal)
        try broker.send(#"{"setPolicy":{"group":"*","rendererLost":"CLOSE"}}"#)
        try broker.send(#"{"lease":{"client":"r","groups":["*"]}}"#)
        for start in stride(from: 0, to: Self.groups, by: 500) {
            let reports = (start..<start + 500).map { #"{"report":{"id":"p\#($0)","client":"r","displayed":{}}}"# }
            broker.client.send(Array(#"{"commands":[\#(reports.joined(separator: ","))]}"#.utf8))
        }
        try broker.turn()
        broker.jumpWithoutTurn(to: 5000)
        let turns = try turns(of: broker)
        #expect(turns.reduce(0, +) == UInt64(Self.groups))
        #expect(turns.allSatisfy { $0 <= Self.maxEvents }, "\(turns)")
        #expect(broker.stats.popups == 0)
        #expect(try isRecovered(broker, from: journal, at: 5000))
    }

    /// A batch of so many popups, each with a field for which it has to be decoded, and the end of the last one.
    private func decodedBatch(of count: Int) throws -> [UInt8] {
        try WireBatch.with { batch in
            batch.commands = (0..<count).map { number in
                .with {
                    $0.show.id = "p\(number)"
                    $0.show.group = "g"
                    $0.show.session = "none"
                }
            }
            batch.commands.append(.with { $0.dismiss.id = "p\(count - 1)" })
        }.serializedBytes()
    }

    @Test("is a bounded part of a batch that has to be decoded; the rest follows, and only then other messages")
    func decodedCommands() throws {
        let broker = try Harness()
        broker.client.send(try decodedBatch(of: 2000))
        broker.client.send(Array(#"{"show":{"id":"p0","group":"later"}}"#.utf8))
        broker.client.subscribe(to: "events/later/")
        var counts: [UInt64] = []
        var before = broker.stats.commands
        var hasMore = true
        while hasMore {
            hasMore = try broker.turnOnce()
            counts.append(broker.stats.commands - before)
            before = broker.stats.commands
        }
        #expect(counts.reduce(0, +) == 2002)
        #expect(counts.allSatisfy { $0 <= 514 }, "\(counts)")
        #expect(broker.stats.popups == 1999)
        // The id is that of a live popup by then: the show has no effect.
        #expect(try broker.receivedEvents() == [])
    }

    @Test(
        "is a bounded part of a batch in JSON, too, of renewals and of repetitions",
        arguments: ["json", "renew", "repeat"])
    func decodedWithoutEntries(kind: String) throws {
        let broker = try Harness()
        let client = broker.client
        let producer = "00000000000000000000000000000007"
        func batch(_ commands: (Int) -> String) -> [UInt8] {
            Array(#"{"commands":[\#((0..<1500).map(commands).joined(separator: ","))]}"#.utf8)
        }
        func settle() throws { while try broker.turnOnce() {} }
        let frame: [UInt8]
        switch kind {
        case "json": frame = batch { #"{"update":{"id":"none\#($0)","text":"x"}}"# }
        case "renew":
            client.send(Array(#"{"lease":{"client":"screen","groups":["g"],"durationMs":5000}}"#.utf8))
            try settle()
            frame = batch { _ in #"{"lease":{"client":"screen","groups":["g"],"durationMs":5000}}"# }
        default:
            frame = batch {
                #"{"producer":"\#(producer)","sequence":\#($0 + 1),"setSession":{"group":"g","session":"s"}}"#
            }
            client.send(frame)
            try settle()
        }
        client.send(frame)
        client.send(Array(#"{"show":{"id":"last","group":"later"}}"#.utf8))
        var turns = 1
        while try broker.turnOnce() {
            turns += 1
            // Whatever has an entry or none: more than a third is never done at once.
            if turns < 3 { #expect(broker.stats.popups == 0) }
        }
        #expect(turns >= 3)
        #expect(broker.stats.popups == 1)
        #expect(broker.stats.refused == (kind == "json" ? 1500 : 0))
    }

    @Test("leaves no part of such a batch behind a call, and none at the end")
    func restOfBatch() throws {
        let journal = KeepingJournal()
        let broker = try Harness(journal: journal)
        broker.client.send(try decodedBatch(of: 1500))
        #expect(try broker.turnOnce())
        #expect(broker.stats.popups == 512)
        #expect(try broker.perform(.with { $0.dismiss.id = "p7" }) == nil)
        #expect(broker.stats.popups == 1498)
        broker.client.send(try decodedBatch(of: 2000))
        #expect(try broker.turnOnce())
        try broker.close()
        #expect(broker.stats.popups == 1997)
        #expect(try Harness(journal: journal).schedulerState() == broker.schedulerState())
    }

    @Test("is finished before the broker ends")
    func closing() throws {
        let journal = KeepingJournal()
        let broker = try broker(journal)
        broker.client.send(Array(#"{"clear":{"selector":{"group":"*"}}}"#.utf8))
        #expect(try broker.turnOnce())
        try broker.close()
        #expect(broker.stats.popups == 0)
    }
}
