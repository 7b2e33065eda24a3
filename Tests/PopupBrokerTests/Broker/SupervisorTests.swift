import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import SystemCalls
import Testing

@Suite("A supervisor")
struct SupervisorTests {
    private final class Counting: Supervisor {
        let turnInterval: Milliseconds?
        let turns = Atomic<Int>(0)
        let batches = Atomic<Int>(0)
        /// When the first 100 turns ended.
        let times = Mutex<[ContinuousClock.Instant]>([])

        init(turnInterval: Milliseconds? = nil) { self.turnInterval = turnInterval }

        func recordRecovery() { batches.add(1, ordering: .relaxed) }
        func recordTurn() {
            turns.add(1, ordering: .relaxed)
            times.withLock { if $0.count < 100 { $0.append(.now) } }
        }
    }

    /// Holds the loop for many turns, and counts those that the supervisor was told of meanwhile.
    private final class Holding: BrokerPlugin {
        let name = "holding"
        let supervisor: Counting

        init(_ supervisor: Counting) { self.supervisor = supervisor }

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            let before = supervisor.turns.load(ordering: .relaxed)
            usleep(300_000)
            let turns = supervisor.turns.load(ordering: .relaxed) - before
            if turns > 0 { throw CommandRefusal(.overload, "\(turns) turns while the loop was held") }
        }
    }

    @Test("is told of turns of an idle broker in time, and of none while the loop is held")
    func turns() async throws {
        let supervisor = Counting(turnInterval: 30)
        let broker = try Broker(
            transport: InProcessTransport(), journal: MemoryJournal(), plugins: [Holding(supervisor)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, supervisor: supervisor)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await broker.run() }
            // The tasks may be late, the turns of the loop's own thread are not.
            while supervisor.turns.load(ordering: .relaxed) < 100 { try await Task.sleep(for: .milliseconds(5)) }
            let times = supervisor.times.withLock { $0 }
            // The heartbeat alone would need a second for each turn.
            let (first, last) = (try #require(times.first), try #require(times.last))
            #expect(last - first < .seconds(50))
            try await broker.perform(
                .with {
                    $0.show = .with {
                        $0.id = "A"; $0.group = "g"
                    }
                })
            broker.stop()
            try await group.waitForAll()
        }
    }

    @Test("is told of each batch that a start applies again")
    func recovery() throws {
        let journal = MemoryJournal()
        _ = try start(journal, Counting())
        var kept = 0
        try journal.replay(from: 1) { _ in kept += 1 }
        for _ in 0..<5 { _ = try journal.append([UInt8]().span.bytes, at: 0) }
        try journal.close()

        let supervisor = Counting()
        _ = try start(journal, supervisor)
        #expect(supervisor.batches.load(ordering: .relaxed) == kept + 5)
        #expect(supervisor.turns.load(ordering: .relaxed) == 0)
    }

    private func start(_ journal: MemoryJournal, _ supervisor: Counting) throws -> BrokerLoop {
        try BrokerLoop.start(
            configuration: BrokerConfiguration(), timeZones: LoadedTimeZones(.system),
            transport: InProcessTransport(), journal: journal, plugins: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, at: 0, supervisor: supervisor)
    }
}
