import Dispatch
import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Synchronization
import Testing

@Suite("A broker on a thread of its own", .timeLimit(.minutes(5)))
struct RunningBrokerTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("calls from other threads are carried out until the stop, and refused after it")
    func calls() async throws {
        let broker = try Broker(transport: InProcessTransport(), journal: MemoryJournal(), logger: Self.silent)
        async let end: Void = broker.run()
        try await broker.perform(
            .with {
                $0.show = .with {
                    $0.id = "A"; $0.group = "g"
                }
            })
        await #expect(throws: CommandRefusal.self) {
            try await broker.perform(.with { $0.dismiss.id = "nobody" })
        }
        var bad = BrokerConfiguration()
        bad.policies = [.with { $0.group = "not a group" }]
        let refused = bad
        await #expect(throws: CommandRefusal.self) { try await broker.reconfigure(refused) }
        try await broker.reconfigure(BrokerConfiguration())
        broker.stop()
        try await end
        await #expect(throws: CommandRefusal.self) {
            try await broker.perform(.with { $0.advance.group = "g" })
        }
        await #expect(throws: BrokerRunsOnce.self) { try await broker.run() }
    }

    @Test("goes on while the time zones of another configuration come from a slow folder")
    func slowFolder() async throws {
        let (reading, isReading) = AsyncStream.makeStream(of: Void.self)
        let isRead = DispatchSemaphore(value: 0)
        let reads = Atomic(0)
        let broker = try Broker(
            configuration: BrokerConfiguration(), transport: InProcessTransport(), journal: MemoryJournal(),
            plugins: [], logger: Self.silent, clock: SystemClock(),
            readTimeZones: {
                // The start's is over at once.
                if reads.wrappingAdd(1, ordering: .relaxed).oldValue > 0 {
                    isReading.yield()
                    isRead.wait()
                }
                return LoadedTimeZones($0)
            })
        async let end: Void = broker.run()
        let policy = WireCommand.with {
            $0.setPolicy.group = "g"
            $0.setPolicy.quiet = [
                .with {
                    $0.from = "22:00"
                    $0.to = "07:00"
                    $0.timeZone = "Europe/Berlin"
                }
            ]
        }
        try await broker.perform(policy)
        async let reconfigured: Void = broker.reconfigure(BrokerConfiguration())
        for await _ in reading { break }
        try await broker.perform(policy)
        isRead.signal()
        try await reconfigured
        broker.stop()
        try await end
    }

    @Test("a cancelled task stops its broker")
    func cancellation() async throws {
        let broker = try Broker(transport: InProcessTransport(), journal: MemoryJournal(), logger: Self.silent)
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let task = Task { try await broker.run { _ in isReady.finish() } }
        for await _ in ready {}
        task.cancel()
        try await task.value
    }
}
