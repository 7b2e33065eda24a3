import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Recovery")
struct RecoveryTests {
    @Test("from the journal gives the same states in a greater epoch")
    func sameStates() throws {
        let journal = MemoryJournal()
        var configuration = BrokerConfiguration()
        configuration.policies = [
            .with {
                $0.group = "f"; $0.preset = .fifo
            }
        ]
        let commands = [
            #"{"show":{"id":"A","group":"g","priority":1,"durationMs":9000}}"#, #"{"show":{"group":"g","priority":5}}"#,
            #"{"setPolicy":{"group":"h","preset":"LIFO"}}"#, #"{"show":{"id":"H1","group":"h"}}"#,
            #"{"show":{"id":"H2","group":"h","durationMs":700,"text":"x"}}"#,
            #"{"update":{"id":"H1","text":"new","priority":3}}"#, #"{"suspend":{"group":"k/*","token":"t"}}"#,
            #"{"show":{"id":"K","group":"k/1"}}"#, #"{"dismiss":{"id":"nobody"}}"#, #"{"advance":{"group":"g"}}"#,
            #"{"show":{"id":"F1","group":"f"}}"#, #"{"show":{"id":"F2","group":"f","priority":9}}"#,
        ]
        let first = try Harness(configuration, journal: journal)
        for (index, command) in commands.enumerated() {
            try first.advance(to: Int64(index) * 100)
            try first.send(command)
        }
        try first.setPolicies([])
        try first.advance(to: 2000)
        try first.subscribeToStates()
        let before = try first.receivedStates()
        try first.close()

        let second = try Harness(configuration, journal: journal, at: 2000)
        try second.subscribeToStates()
        #expect(try second.receivedStates() == before)
        #expect(before.count == 4)
        #expect(second.epoch == first.epoch + 1)
    }

    @Test("leaves the journal closed when the broker can't start, so that the next can")
    func failedStart() throws {
        let journal = MemoryJournal()
        var configuration = BrokerConfiguration()
        configuration.policies = [.with { $0.group = "not a group" }]
        #expect(throws: CommandRefusal.self) { try Harness(configuration, journal: journal) }
        configuration.policies = []
        let second = try Harness(configuration, journal: journal)
        // A journal that somebody else has open stays open.
        #expect(throws: JournalIsOpen.self) { try Harness(configuration, journal: journal) }
        #expect(throws: JournalIsOpen.self) { try journal.open() }
        try second.close()
    }

    @Test("goes on from the journal's time when the clock was set back")
    func clockSetBack() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal, at: 3_600_000)
        try first.send(#"{"show":{"id":"A","group":"g","durationMs":500}}"#)
        try first.close()

        let second = try Harness(journal: journal, subscriptions: ["events/"], at: 1000)
        #expect(second.nextDeadline == 1500)
        try second.advance(to: 2000)
        // What is told is the time by the wall clock.
        #expect(try second.receivedEvents() == ["1500 g A closed timedOut after 500ms"])
    }

    @Test("does not show again what has ended, though the clock was set back and nothing was committed since")
    func endedBeforeTheClockWasSetBack() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal, subscriptions: ["events/"], at: 3_600_000)
        try first.send(
            #"{"show":{"id":"A","group":"g","durationMs":500}}"#, #"{"show":{"id":"B","group":"g","durationMs":900}}"#)
        try first.advance(by: 700)
        #expect(
            try first.receivedEvents().suffix(2) == ["3600500 g A closed timedOut after 500ms", "3600500 g B shown 1"])
        try first.close()

        let second = try Harness(journal: journal, subscriptions: ["events/", "state/"], at: 1000)
        #expect(second.time == 3_600_500)
        let states = second.receivedMessages(of: second.client)
        #expect(try states.map { try Harness.short(Harness.state($0)) } == ["g#3 B 900ms"])
        // It has been shown for no longer than was noted: it is on screen until its time is over, not for less.
        try second.advance(to: 2000)
        #expect(try second.receivedEventsOnly() == ["1900 g B closed timedOut after 900ms"])
        try second.close()

        // Forward again: all that was due meanwhile is over.
        let third = try Harness(journal: journal, subscriptions: ["state/"], at: 7_200_000)
        #expect(try third.receivedStates() == ["g#4"])
    }

    @Test("shows nobody what ended while no broker ran")
    func endedMeanwhile() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal, at: 0)
        try first.send(#"{"show":{"id":"A","group":"g","durationMs":500}}"#)
        try first.close()

        // Its subscription is there before the broker's first turn.
        let second = try Harness(journal: journal, subscriptions: ["state/"], at: 1000)
        #expect(try second.receivedStates() == ["g#2"])
    }

    @Test(
        "gives the same scheduler, byte for byte, on a machine without any time zones", arguments: [500, 955, 50_000])
    func sameScheduler(time: Int64) throws {
        let journal = MemoryJournal(retention: MemoryJournal.Retention(batches: 1000, bytes: 1 << 20))
        let first = try Harness(journal: journal)
        for (at, command) in SimulatedCommandsTests.whole where at <= time {
            try first.advance(to: at)
            try first.send(command)
        }
        try first.advance(to: time)
        let before = first.schedulerState()
        try first.close()

        var configuration = BrokerConfiguration()
        configuration.timeZones = TimeZoneDirectory(path: "/nowhere")
        let second = try Harness(configuration, journal: journal, at: time)
        #expect(second.schedulerState() == before)
    }

    @Test("begins ids anew: none is made twice")
    func madeIDs() throws {
        let journal = MemoryJournal()
        let first = try Harness(journal: journal)
        try first.send(#"{"show":{"group":"g"}}"#)
        try first.close()
        let second = try Harness(journal: journal, subscriptions: ["events/"])
        try second.send(#"{"show":{"group":"g"}}"#)
        #expect(try second.receivedEvents() == ["0 g popup-2-1 queued"])
    }

    @Test("of a batch that could not be committed changes nothing")
    func failingJournal() throws {
        let journal = FailingJournal()
        let broker = try Harness(journal: journal, subscriptions: ["events/", "state/"])
        journal.fails = true
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#, #"{"query":{"client":"c","nonce":"1","stats":{}}}"#)
        journal.fails = false
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        let topics = broker.receivedMessages(of: broker.client).map(\.topic)
        #expect(topics == ["events/g/", "state/g/", "events/g/"])
        #expect(broker.stats.refused == 1)
    }

    @Test("of policies that could not be committed: they are set when they are read again")
    func policiesNotCommitted() throws {
        let journal = FailingJournal()
        let broker = try Harness(journal: journal, subscriptions: ["events/"])
        let policy = WireSetPolicy.with {
            $0.group = "g"; $0.higher = .defer
        }
        journal.fails = true
        #expect(throws: CommandRefusal.self) { try broker.setPolicies([policy]) }
        journal.fails = false
        try broker.setPolicies([policy])

        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"g","priority":9}}"#)
        #expect(try broker.receivedEvents() == ["0 g  refused OVERLOAD", "0 g A shown 1", "0 g B queued"])
    }
}

private final class FailingJournal: Journal {
    struct Full: Error {}

    var fails = false
    private let journal = MemoryJournal()

    func open() throws -> JournalOpening { try journal.open() }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        try journal.replay(from: sequence, body)
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        if fails { throw Full() }
        return try journal.append(commands, at: time)
    }

    func close() throws { try journal.close() }
}

extension Harness {
    fileprivate func receivedEventsOnly() throws -> [String] {
        try receivedMessages(of: client).filter { $0.topic.hasPrefix("events/") }
            .map { Self.short(try WireEncoding.binary.decode($0.body, as: WireEvent.self)) }
    }

    fileprivate func subscribeToStates() throws {
        client.subscribe(to: "state/")
        try turn()
    }

    @Test("refuses a batch of a time that can't be", arguments: [Int64.min, -1, 1_000_000_000_000_001, .max])
    func impossibleTime(time: Int64) throws {
        let journal = MemoryJournal()
        _ = try journal.open()
        _ = try journal.append([UInt8]().span.bytes, at: time)
        #expect(throws: (any Error).self) { try Harness(journal: journal) }
    }
}
