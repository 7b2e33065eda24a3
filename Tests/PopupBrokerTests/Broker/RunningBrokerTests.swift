import Logging
import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A broker on a thread of its own", .timeLimit(.minutes(1)))
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
