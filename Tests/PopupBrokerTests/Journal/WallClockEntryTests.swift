import Logging
import PopupJournal
import PopupScheduling
import Testing

@testable import PopupBroker
@testable import PopupState

@Suite("A setting of the wall clock")
struct WallClockEntryTests {
    @Test("stands behind the settings with which a new journal begins")
    func newJournal() throws {
        let journal = MemoryJournal()
        var loop = try BrokerLoop.start(
            configuration: BrokerConfiguration(), timeZones: LoadedTimeZones(.system), transport: InProcessTransport(),
            journal: journal, plugins: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, at: 1000, wallClockLead: 5000)
        loop.recordWallClock(ahead: 5000)
        _ = try loop.turn(at: 1000)
        #expect(loop.state.scheduler.wallClockLead == 5000)
        try loop.close()

        _ = try journal.open()
        var kinds: [CommandLog.Kind] = []
        try journal.replay(from: 1) { batch in
            kinds += try CommandLog.entries(in: batch.commands).map(\.kind)
        }
        #expect(kinds == [.settings, .wallClock])
    }
}
