import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupSimulation
import PopupState
import SwiftProtobuf
import Testing

@testable import PopupBroker

@Suite("What if, on the journal of a broker")
struct JournalComparisonTests {
    private let pair: [(Int64, String)] = [
        (0, #"{"show":{"id":"A","group":"g","priority":1,"durationMs":1000}}"#),
        (100, #"{"show":{"id":"B","group":"g","priority":9,"durationMs":500,"ttlMs":600}}"#),
    ]

    /// What a broker leaves in its journal with these commands.
    private func journal(
        _ lines: [(Int64, String)], policies: [WireSetPolicy] = [], limits: Limits = Limits()
    ) throws -> MemoryJournal {
        var configuration = BrokerConfiguration()
        configuration.policies = policies
        configuration.scheduling = limits
        let journal = MemoryJournal()
        let broker = try Harness(configuration, journal: journal)
        for (time, line) in lines {
            try broker.advance(to: time)
            try broker.send(line)
        }
        try broker.close()
        return journal
    }

    /// The comparison on a journal, from a snapshot after a batch if one is given.
    private func compare(
        _ journal: MemoryJournal, after sequence: UInt64 = 0, under policy: String
    ) throws -> (differences: [PopupDifference], popups: Int) {
        _ = try journal.open()
        defer { try? journal.close() }
        var state = try BrokerState.recover(
            from: nil, JournaledSettings(BrokerConfiguration()),
            replay: { from, body in try journal.replay(from: from) { if $0.sequence <= sequence { try body($0) } } })
        var comparison = try PolicyComparison.ofJournal(
            from: sequence == 0 ? nil : try state.snapshot(), under: [try WireSetPolicy(jsonString: policy)],
            SimulationSettings(timeZones: TimeZoneDirectory.system))
        try journal.replay(from: sequence + 1) { try comparison.apply($0) }
        return comparison.finish()
    }

    @Test("a journal is compared with its own settings, policies and order, without those of the other run")
    func journals() throws {
        var limits = Limits()
        limits.waitingPerGroup = 1
        let journal = try journal(
            pair + [
                (110, #"{"show":{"id":"C","group":"g","priority":5,"durationMs":10}}"#),
                (120, #"{"setPolicy":{"group":"g","preset":"LIFO"}}"#), (130, #"{"advance":{"group":"g"}}"#),
            ],
            policies: [
                .with {
                    $0.group = "g"; $0.preset = .fifo
                }
            ], limits: limits)
        // Really: FIFO, and only one waits, so C is refused; B is shown when A is advanced.
        #expect(try compare(journal, under: #"{"group":"*","preset":"FIFO"}"#).differences == [])
        let (differences, popups) = try compare(journal, under: #"{"group":"*"}"#)
        #expect(popups == 3)
        #expect(
            differences.map { "\($0.popup) \($0.changes[0])" } == [
                "A ends TIMED_OUT, not ADVANCED", "B shown 30 ms earlier", "C shown only now",
            ])
    }

    @Test("a journal whose beginning a snapshot has replaced goes on from the snapshot, in both runs")
    func snapshots() throws {
        let journal = try journal(
            [
                (0, #"{"setPolicy":{"group":"g","preset":"FIFO"}}"#),
                (5, #"{"show":{"id":"A","group":"g","durationMs":1000}}"#), (100, pair[1].1),
            ])
        let (differences, popups) = try compare(journal, after: 3, under: #"{"group":"*"}"#)
        #expect(popups == 2)
        #expect(differences.map { "\($0.popup) \($0.changes[0])" } == ["B shown only now"])
    }
}
