import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Synchronization
import Testing
import ZeroMQ
import ZeroMQTransport

/// The real broker on its own thread behind real sockets on free ports.
@Suite("Over tcp", .timeLimit(.minutes(5)))
struct ZeroMQTransportTests {
    /// Runs a broker and lets `body` use it.
    private func withBroker(
        _ configuration: BrokerConfiguration = BrokerConfiguration(), subscription: String,
        _ body: (borrowing RunningBroker) throws -> Void
    ) async throws {
        let broker = try Broker(
            configuration: configuration, transport: try ZeroMQTransport(endpoints: RunningBroker.free),
            journal: MemoryJournal(), logger: RunningBroker.silent)
        try await withRunning(broker, subscription: subscription, body)
    }

    @Test("a popup is shown, read late, dismissed and gone")
    func roundTrip() async throws {
        try await withBroker(subscription: "state+json/lobby/") { running in
            try running.send(#"{"show":{"id":"A","group":"lobby","text":"Hello"}}"#)
            // As the first change, or repeated when the subscription arrived after it.
            #expect(try running.receiveState().hasPrefix("lobby#1 A"))
            try running.send(#"{"dismiss":{"id":"A","action":"ok"}}"#)
            var state = try running.receiveState()
            while state.hasPrefix("lobby#1") { state = try running.receiveState() }
            #expect(state == "lobby#2 (closed A)")
        }
    }

    @Test("display times end by the real clock, not before")
    func displayTime() async throws {
        try await withBroker(subscription: "") { running in
            // Events are not repeated: a heartbeat shows that the subscription is there.
            _ = try running.receive()
            let clock = ContinuousClock()
            let start = clock.now
            try running.send(#"{"show":{"id":"A","group":"g","durationMs":120}}"#)
            var events: [WireEvent] = []
            while events.last?.closed.reason != .timedOut {
                let (topic, body) = try running.receive()
                if topic == "events/g/" { events.append(try WireEvent(serializedBytes: body)) }
            }
            #expect(clock.now - start > .milliseconds(119))
            #expect(events.last?.closed.displayedMs == 120)
        }
    }

    @Test("messages of too many frames are dropped, and what follows is not")
    func manyFrames() async throws {
        try await withBroker(subscription: "state+json/") { running in
            for count in [3, 60] {
                for index in 1...count {
                    _ = try running.commands.send(Array("x".utf8), more: index < count, wait: true)
                }
                try running.send(#"{"show":{"id":"p\#(count)","group":"g\#(count)"}}"#)
            }
            var groups: Set<String> = []
            while groups.count < 2 {
                groups.insert(try #require(try running.receiveState().split(separator: " ").first.map(String.init)))
            }
            #expect(groups == ["g3#1", "g60#1"])
        }
    }

    @Test("an endpoint in use is refused by its name")
    func endpointInUse() async throws {
        try await withBroker(subscription: "") { running in
            let second = try Broker(
                transport: try ZeroMQTransport(
                    endpoints: BrokerEndpoints(ingress: running.endpoints.ingress, egress: "tcp://127.0.0.1:*")),
                journal: MemoryJournal())
            let error = #expect(throws: ZeroMQError.self) { try second.runOnThisThread() }
            #expect(error?.operation == .bind)
            #expect(error?.subject == running.endpoints.ingress)
        }
    }
}

extension RunningBroker {
    /// Returns the next message: topic and body.
    fileprivate func receive() throws -> (topic: String, body: [UInt8]) {
        (String(decoding: try nextFrame(of: messages), as: UTF8.self), try nextFrame(of: messages))
    }

    /// Returns the next state of `state+json`, in short.
    fileprivate func receiveState() throws -> String {
        let state = try WireEncoding.json.decode(receive().body, as: WireGroupState.self)
        let active = state.hasActive ? " \(state.active.id)" : ""
        let cause = state.hasCause ? " (\(state.cause.kind) \(state.cause.popup))" : ""
        return "\(state.group)#\(state.revision)\(active)\(cause)"
    }
}
