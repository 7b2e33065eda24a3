import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Calls from other threads")
struct CallTests {
    /// A transport that fails for good when it is told to.
    private final class FailingTransport: Transport {
        let inner = InProcessTransport()
        var isBroken = false

        struct Broken: Error {}

        var wake: @Sendable () -> Void { inner.wake }
        func open() throws -> BrokerEndpoints { try inner.open() }
        func wait(milliseconds: Int?) throws { try inner.wait(milliseconds: milliseconds) }
        func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
            try inner.receive(take)
        }
        func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool { try inner.receiveSubscription(take) }
        func disconnect(_ connection: ConnectionID, because reason: String) {
            inner.disconnect(connection, because: reason)
        }
        func takeCutConnections() -> [CutConnection] { inner.takeCutConnections() }
        func publish(topic: RawSpan, body: RawSpan) throws {
            if isBroken { throw Broken() }
            try inner.publish(topic: topic, body: body)
        }
        func publish(frame: RawSpan) throws {
            if isBroken { throw Broken() }
            try inner.publish(frame: frame)
        }
        func flush() { inner.flush() }
        func close() { inner.close() }
    }

    @Test(
        "are all answered when the broker fails while it carries one out: with the outcome, where it is known",
        arguments: [(failsBefore: true, outcome: "A OVERLOAD"), (failsBefore: false, outcome: "A done")])
    func failure(failsBefore: Bool, outcome: String) throws {
        let transport = FailingTransport()
        let client = transport.inner.makeClient()
        client.subscribe(to: "state/")
        var loop = try BrokerLoop.start(
            configuration: BrokerConfiguration(), timeZones: LoadedTimeZones(.system), transport: transport,
            journal: MemoryJournal(), plugins: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, at: 0)
        _ = try loop.turn(at: 0)
        if failsBefore {
            // Its end is told before anything else is done.
            let command = WireCommand.with {
                $0.show = .with {
                    $0.id = "T"
                    $0.group = "g"
                    $0.durationMs = 1
                }
            }
            try loop.perform(command, at: 0) { _ in }
        }
        transport.isBroken = true

        let outcomes = Mutex<[String]>([])
        let mailbox = BrokerMailbox(capacity: 10, wake: transport.wake)
        for id in ["A", "B"] {
            let command = WireCommand.with {
                $0.show = .with {
                    $0.id = id
                    $0.group = "g"
                }
            }
            try mailbox.add(
                .command(command) { refusal in
                    outcomes.withLock { $0.append("\(id) \(refusal?.reason.name ?? "done")") }
                })
        }
        try mailbox.add(
            .reconfigure(BrokerConfiguration(), LoadedTimeZones(.system)) { result in
                outcomes.withLock { $0.append((try? result.get()) == nil ? "failed" : "reconfigured") }
            })
        var runner = LoopRunner(loop: loop, transport: transport, mailbox: mailbox, clock: SystemClock())
        #expect(throws: FailingTransport.Broken.self) { try runner.run() }
        #expect(outcomes.withLock { $0 } == [outcome, "B OVERLOAD", "failed"])
    }
}
