import FleetState
import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupState
import SwiftProtobuf
import Testing

/// The history of states that a shared log determines.
struct BrokerHistoryTests {
    private static let popup = WirePopup.with {
        $0.id = "A"
        $0.group = "lobby"
        $0.priority = 3
        $0.durationMs = 1000
        $0.text = "first"
    }

    /// A batch of one command, in an epoch.
    private func entry(_ index: UInt64, epoch: UInt64, at time: Int64, _ command: WireCommand) throws -> LogEntry {
        var log = CommandLog()
        if index == 1 { log.append(.settings, JournaledSettings(limits: Limits(), seed: 7).bytes.span.bytes) }
        let bytes: [UInt8] = try command.serializedBytes()
        log.append(.command, bytes.span.bytes)
        return LogEntry(
            .batch, epoch: epoch, index: index, time: time, horizon: time + 3000, chain: 0, commands: log.takeBytes())
    }

    @Test func `each state has its whole message, and the epoch of the entry before it`() throws {
        var history = BrokerHistory()
        try history.follow(entry(1, epoch: 5, at: 1000, .with { $0.show = Self.popup }))
        try history.follow(
            entry(
                2, epoch: 6, at: 1400,
                .with {
                    $0.update = .with {
                        $0.id = "A"
                        $0.text = "second"
                    }
                }))
        try history.advance(to: 2000)

        var shown = WireGroupState.with {
            $0.group = "lobby"
            $0.revision = 1
            $0.active = Self.popup
            $0.active.attempt = 1
            $0.active.sinceRevision = 1
        }
        var expected = [shown]
        shown.revision = 2
        shown.active.text = "second"
        shown.active.sinceRevision = 2
        expected.append(shown)
        // Its time is over by the horizon of the last entry.
        shown.revision = 3
        shown.clearActive()
        expected.append(shown)
        let records = history.records
        #expect(try records.map { try WireGroupState(jsonString: $0.json) } == expected)
        #expect(records.map(\.begins) == [5, 6, 6])
    }
}
