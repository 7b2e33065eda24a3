@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The journal and leases")
struct LeaseJournalTests {
    private let policy = #"{"setPolicy":{"group":"*","rendererLost":"CLOSE"}}"#
    private let show = #"{"show":{"id":"A","group":"g"}}"#
    private let lease = #"{"lease":{"client":"r","groups":["g"]}}"#
    private let report = #"{"report":{"id":"A","client":"r","displayed":{}}}"#

    /// The commands of the journal, in short.
    private func commands(_ journal: MemoryJournal) throws -> [String] {
        var commands: [String] = []
        try journal.replay(from: 0) { batch in
            for entry in try CommandLog.entries(in: batch.commands) where entry.kind == .command {
                let command = try WireCommand(serializedBytes: Array(batch.commands[entry.range]))
                let what =
                    if case .lease(let lease) = command.command { "lease \(lease.client) \(lease.groups)" } else {
                        "\(command.command.map { CommandKind($0).rawValue } ?? "")"
                    }
                commands.append("\(batch.time) \(what)")
            }
        }
        return commands
    }

    @Test("makes one pattern of a thousand equal ones, also for a renewal")
    func equalPatterns() throws {
        let journal = MemoryJournal()
        let many = try WireCommand.with {
            $0.lease = .with {
                $0.client = "r"
                $0.groups = [String](repeating: "g/*", count: 1000) + ["g/1", "h"]
            }
        }
        .jsonString()
        let broker = try Harness(journal: journal)
        try broker.send(many)
        try broker.send(#"{"lease":{"client":"r","groups":["g/*","h","g/2"]}}"#)
        #expect(broker.leasedPatterns == ["g/*\nh\n"])
        #expect(try commands(journal).count == 1)
    }

    @Test("has their beginnings, changes and ends, not what keeps them up")
    func renewals() throws {
        let journal = MemoryJournal()
        let broker = try Harness(journal: journal)
        for second in 0..<10 {
            try broker.advance(to: Int64(second) * 1000)
            try broker.send(lease)
        }
        try broker.send(#"{"lease":{"client":"r","groups":["g","h"]}}"#)
        try broker.advance(to: 60_000)
        #expect(
            try commands(journal) == [#"0 lease r ["g"]"#, #"9000 lease r ["g", "h"]"#, "14000 lease r []"])
    }

    @Test("has one that its producer counts")
    func counted() throws {
        let journal = MemoryJournal()
        let broker = try Harness(journal: journal)
        try broker.send(lease)
        try broker.send(
            #"{"producer":"00000000000000000000000000000001","sequence":"1","lease":{"client":"r","groups":["g"]}}"#)
        #expect(try commands(journal).count == 2)
    }

    @Test("loses the popup of a silent renderer when its lease runs out, to the millisecond")
    func lost() throws {
        let broker = try Harness(subscriptions: ["events/"])
        try broker.send(policy, show, lease, report)
        try broker.advance(to: 3000)
        try broker.send(lease)
        try broker.advance(to: 60_000)
        #expect(
            try broker.receivedEvents() == ["0 g A shown 1", "8000 g A closed rendererLost after 8000ms"])
    }

    @Test("takes a renderer that leaves and comes back within one batch for a new one")
    func leavesAndReturns() throws {
        let journal = MemoryJournal()
        let broker = try Harness(journal: journal, subscriptions: ["events/"])
        try broker.send(policy, show, lease, report)
        for command in [#"{"lease":{"client":"r"}}"#, lease] { broker.client.send(Array(command.utf8)) }
        try broker.turn()
        let events = try broker.receivedEvents()
        #expect(events == ["0 g A shown 1", "0 g A closed rendererLost after 0ms"])
        #expect(
            try commands(journal).filter { $0.contains("lease") }
                == [#"0 lease r ["g"]"#, "0 lease r []", #"0 lease r ["g"]"#])
    }

    @Test("does not hold against a renderer that the broker did not listen")
    func stopped() throws {
        let broker = try Harness(subscriptions: ["events/"])
        try broker.send(policy, show, lease, report)
        try broker.jump(to: 30_000)
        #expect(try broker.receivedEvents() == ["0 g A shown 1"])
        try broker.advance(to: 60_000)
        #expect(try broker.receivedEvents() == ["35000 g A closed rendererLost after 35000ms"])
    }

    @Test("gives the renderers of an earlier run their time anew")
    func restarted() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal)
        try first.send(policy, show, lease, report)
        try first.close()
        let second = try Harness(journal: journal, subscriptions: ["events/"], at: 100_000)
        try second.advance(to: 104_000)
        try second.send(lease)
        try second.advance(to: 108_999)
        #expect(try second.receivedEvents() == [])
        try second.advance(to: 109_000)
        #expect(try second.receivedEvents() == ["109000 g A closed rendererLost after 109000ms"])
    }
}
