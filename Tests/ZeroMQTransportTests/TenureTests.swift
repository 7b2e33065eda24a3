import Logging
import PopupBroker
import PopupJournal
import PopupProtocol
import Synchronization
import Testing
import ZeroMQ
import ZeroMQTransport

/// A tenure that a test begins and ends.
private final class SwitchedTenure: Tenure {
    private let state = Mutex(TenureStanding.held)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)

    var standing: TenureStanding { state.withLock { $0 } }

    func notify(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }

    func set(_ standing: TenureStanding) {
        state.withLock { $0 = standing }
        wake.withLock { $0 }?()
    }
}

/// A broker whose journal another process can take over, behind real sockets.
@Suite("A tenure", .timeLimit(.minutes(1)))
struct TenureTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func state(_ socket: borrowing Socket, within milliseconds: Int) throws -> String? {
        var poller = Poller()
        _ = poller.add(socket)
        _ = try poller.wait(timeoutMilliseconds: milliseconds)
        guard try socket.receive() != nil, let body = try socket.receive() else { return nil }
        return try WireEncoding.json.decode(body.copy(), as: WireGroupState.self).active.id
    }

    /// Runs a broker, and calls `body` with sockets for commands and for states. Returns whether its journal was lost.
    private func withBroker(
        _ tenure: SwitchedTenure, _ body: (_ commands: borrowing Socket, _ states: borrowing Socket) throws -> Void
    ) async throws -> Bool {
        let free = BrokerEndpoints(ingress: "tcp://127.0.0.1:*", egress: "tcp://127.0.0.1:*")
        let broker = try Broker(
            transport: try ZeroMQTransport(endpoints: free, maySend: { tenure.standing == .held }),
            journal: MemoryJournal(), logger: Self.silent, tenure: tenure)
        let (ready, isReady) = AsyncStream.makeStream(of: BrokerEndpoints.self)
        async let end: Void = broker.run {
            isReady.yield($0.endpoints)
            isReady.finish()
        }
        for await endpoints in ready {
            defer { broker.stop() }
            let context = try Context()
            let commands = try Socket(context, .xpub, options: [.linger(milliseconds: 0)])
            try commands.connect(endpoints.ingress)
            let states = try Socket(context, .sub, options: [.linger(milliseconds: 0)])
            try states.subscribe(to: "state+json/")
            try states.connect(endpoints.egress)
            var poller = Poller()
            _ = poller.add(commands)
            _ = try poller.wait(timeoutMilliseconds: 20_000)
            #expect(try commands.receive() != nil)
            try body(commands, states)
        }
        do { try await end } catch is JournalLost { return true }
        return false
    }

    private static func show(_ id: String, priority: Int, _ commands: borrowing Socket) throws {
        let command = #"{"show":{"id":"\#(id)","group":"lobby","priority":\#(priority)}}"#
        _ = try commands.send(Array(command.utf8), wait: true)
    }

    @Test("that is not confirmed makes the broker mute, until it is again")
    func unconfirmed() async throws {
        let tenure = SwitchedTenure()
        let isLost = try await withBroker(tenure) { commands, states in
            try Self.show("A", priority: 1, commands)
            #expect(try Self.state(states, within: 20_000) == "A")
            tenure.set(.unconfirmed)
            try Self.show("B", priority: 2, commands)
            var said = try Self.state(states, within: 300)
            // A repetition may have been on its way.
            while said == "A" { said = try Self.state(states, within: 300) }
            #expect(said == nil)

            tenure.set(.held)

            said = try Self.state(states, within: 20_000)
            while said == "A" { said = try Self.state(states, within: 20_000) }
            #expect(said == "B")
        }
        #expect(!isLost)
    }

    @Test("that is lost ends the broker, which says nothing more")
    func lost() async throws {
        let tenure = SwitchedTenure()
        let isLost = try await withBroker(tenure) { commands, states in
            try Self.show("A", priority: 1, commands)
            #expect(try Self.state(states, within: 20_000) == "A")
            tenure.set(.lost)
            try Self.show("B", priority: 2, commands)
            while let said = try Self.state(states, within: 500) { #expect(said == "A") }
        }
        #expect(isLost)
    }
}
