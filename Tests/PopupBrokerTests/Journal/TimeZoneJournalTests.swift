@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing
import TestSupport

@Suite("The journal and time zones")
struct TimeZoneJournalTests {
    private static let berlin = TimeZoneBytes(version: 0x32, offsets: [3600], changes: [], footer: "CET-1").bytes
    private static let later = TimeZoneBytes(version: 0x32, offsets: [7200], changes: [], footer: "EET-2").bytes

    private let folder: ZoneFolder
    private var configuration = BrokerConfiguration()
    private let policy = #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00","timeZone":"Home"}]}}"#

    init() throws {
        folder = try ZoneFolder(["Home": Self.berlin, "Other": Self.later])
        configuration.timeZones = TimeZoneDirectory(path: folder.path)
    }

    private func entries(_ journal: MemoryJournal) throws -> [[String]] {
        var batches: [[String]] = []
        try journal.replay(from: 0) { batch in
            batches.append(
                try CommandLog.entries(in: batch.commands).compactMap { entry in
                    guard entry.kind != .settings else { return nil }
                    guard entry.kind == .timeZone else { return "\(entry.kind)" }
                    let zone = try TimeZoneData(journalEntry: batch.commands[entry.range])
                    return "\(zone.name) \(zone.rules.initialOffset)"
                })
        }
        return batches.filter { !$0.isEmpty }
    }

    @Test("have a zone's data in the batch of the first policy that goes by it, and again when it has changed")
    func entered() throws {
        let journal = MemoryJournal()
        let broker = try Harness(configuration, journal: journal)
        try broker.send(policy, policy)
        try broker.send(policy)
        try folder.set("Home", to: Self.later)
        // It is read with the configuration alone.
        try broker.send(policy)
        try broker.reconfigure(configuration)
        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#,
            #"{"setPolicy":{"group":"*","quiet":[{"from":"12:00","to":"13:00","timeZone":"Other"},{"from":"22:00","to":"07:00","timeZone":"Home"}]}}"#,
            policy)
        #expect(
            try entries(journal) == [
                ["Home 3600", "command", "command"], ["command"], ["command"],
                ["command", "Other 7200", "Home 7200", "command", "command"],
            ])
    }

    @Test("go without the system's data when it is replayed")
    func replayed() throws {
        let journal = MemoryJournal()
        let first = try Harness(configuration, journal: journal)
        try first.send(policy)
        try first.close()
        var elsewhere = configuration
        elsewhere.timeZones = TimeZoneDirectory(path: "/nowhere")
        let second = try Harness(elsewhere, journal: journal, subscriptions: ["events/"])
        // There a new policy can't be set, and the old one is in force.
        try second.send(policy, #"{"show":{"id":"A","group":"g"}}"#)
        try second.advance(to: 6 * 3_600_000)
        // At home it is one o'clock, and seven in six hours.
        #expect(
            try second.receivedEvents() == ["0 g  refused INVALID", "0 g A queued", "21600000 g A shown 1"])
    }

    @Test("make the configuration's policies be set again when their zones have changed, and else not")
    func reloaded() throws {
        let journal = MemoryJournal()
        var configuration = configuration
        configuration.policies = [try Ingress.command(json: Array(policy.utf8)).setPolicy]
        let broker = try Harness(configuration, journal: journal)
        try broker.reconfigure(configuration)
        #expect(try entries(journal) == [["Home 3600", "configuredPolicy"]])
        try folder.set("Home", to: Self.later)
        try broker.reconfigure(configuration)
        #expect(try entries(journal) == [["Home 3600", "configuredPolicy"], ["Home 7200", "configuredPolicy"]])
    }

    @Test("are refused when the data is damaged or a policy's zone is missing")
    func damaged() throws {
        func error(_ fill: (inout CommandLog) throws -> Void) throws -> String? {
            let journal = MemoryJournal()
            var log = CommandLog()
            try fill(&log)
            _ = try journal.open()
            _ = try journal.append(log.bytes.span.bytes, at: 0)
            try journal.close()
            do {
                _ = try Harness(configuration, journal: journal)
                return nil
            } catch {
                return "\(error)"
            }
        }
        let remedy = "; restore a backup, or start with an empty one"
        let start = "the journal cannot be used: "
        #expect(
            try error { $0.append(.timeZone, [72, 0, 1].span.bytes) }
                == start + "the data of a time zone is damaged: it ends within a header" + remedy)
        #expect(
            try error {
                let command: [UInt8] = try Ingress.command(json: Array(policy.utf8)).serializedBytes()
                $0.append(.command, command.span.bytes)
            } == start + "there is no data of the time zone `Home` before its policy" + remedy)
    }
}
