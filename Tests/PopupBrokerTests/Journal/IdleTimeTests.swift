@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import Testing
import TestSupport

/// Quiet windows rest when nothing was told for 48 hours. A broker that is there says so in its journal, so that they
/// rest only while none is.
@Suite("A broker that nobody tells anything")
struct IdleTimeTests {
    private static let hour: Milliseconds = 3_600_000
    private let policy = #"{"setPolicy":{"group":"*","quiet":[{"from":"01:00","to":"02:00","timeZone":"Home"}]}}"#
    private let show = #"{"show":{"id":"A","group":"g"}}"#
    private let folder: ZoneFolder
    private var configuration = BrokerConfiguration()

    init() throws {
        folder = try ZoneFolder([
            "Home": TimeZoneBytes(version: 0x32, offsets: [0], changes: [], footer: "UTC0").bytes
        ])
        configuration.timeZones = TimeZoneDirectory(path: folder.path)
    }

    /// When it had batches that hold nothing but its limits.
    private func notes(_ journal: KeepingJournal) throws -> [Milliseconds] {
        try journal.batches.dropFirst().filter { batch in
            try CommandLog.entries(in: batch.commands).map(\.kind) == [.settings]
        }.map(\.time)
    }

    @Test("notes once a day that it is there, and its quiet windows go on, in a replay as well")
    func notes() throws {
        let journal = KeepingJournal()
        let broker = try Harness(configuration, journal: journal, subscriptions: ["events/"])
        try broker.send(policy, show)
        try broker.advance(to: 240 * Self.hour + 1)
        // Each day's window paused it and let it go on.
        let events = try broker.receivedEvents()
        #expect(events.count { $0.hasSuffix(" A paused") } == 10)
        #expect(events.count { $0.hasSuffix(" A resumed") } == 10)
        let notes = try notes(journal)
        #expect(notes.count <= 10)
        let gaps = zip([0] + notes, notes).map { $1 - $0 }
        #expect(notes.count >= 8 && gaps.allSatisfy { $0 >= 24 * Self.hour && $0 < 48 * Self.hour }, "\(gaps)")

        let state = broker.schedulerState()
        let again = try Harness(configuration, journal: journal.copy(), at: broker.time)
        #expect(again.schedulerState() == state)
    }

    @Test("notes nothing while it has no popups, or no quiet windows")
    func nothing() throws {
        for commands in [[policy], [show]] {
            let journal = KeepingJournal()
            let broker = try Harness(configuration, journal: journal)
            for command in commands { try broker.send(command) }
            try broker.advance(to: 240 * Self.hour)
            try broker.jump(to: 480 * Self.hour)
            #expect(try notes(journal) == [])
        }
    }

    @Test("that was not there for ten days takes two of them in steps, and the present window when it is back")
    func absence() throws {
        let journal = KeepingJournal()
        let first = try Harness(configuration, journal: journal)
        try first.send(policy, show)
        try first.close()
        let second = try Harness(
            configuration, journal: journal, at: 240 * Self.hour + Self.hour + Self.hour / 2)
        second.client.subscribe(to: "state/")
        try second.turn()
        // In the midst of the window, and not of the one that was two days after the last command.
        #expect(try second.receivedStates().last?.contains("~1") == true)
        #expect(try notes(journal).count == 1)
        try second.advance(by: Self.hour)
        #expect(try second.receivedStates().last?.contains(" A") == true)
    }

    @Test("tries again each minute while its journal can't commit the note")
    func fullDisk() throws {
        let journal = FullableJournal()
        let broker = try Harness(configuration, journal: journal)
        try broker.send(policy, show)
        journal.isFull = true
        try broker.jump(to: 25 * Self.hour)
        let before = journal.batches.count
        try broker.jump(to: 25 * Self.hour + 59_999)
        journal.isFull = false
        try broker.jump(to: 25 * Self.hour + 59_999)
        #expect(journal.batches.count == before)
        try broker.jump(to: 25 * Self.hour + 60_000)
        #expect(journal.batches.count == before + 1)
    }
}
