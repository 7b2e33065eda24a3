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
@Suite("A tenure", .timeLimit(.minutes(5)))
struct TenureTests {
    /// Runs a broker, and calls `body` with it. Returns whether its journal was lost.
    private func withBroker(
        _ tenure: SwitchedTenure, _ body: (borrowing RunningBroker) throws -> Void
    ) async throws -> Bool {
        let transport = try ZeroMQTransport(endpoints: RunningBroker.free, maySend: { tenure.standing == .held })
        let broker = try Broker(
            transport: transport, journal: MemoryJournal(), logger: RunningBroker.silent, tenure: tenure)
        do { try await withRunning(broker, subscription: "state+json/", body) } catch is JournalLost { return true }
        return false
    }

    @Test("that is not confirmed makes the broker mute, until it is again")
    func unconfirmed() async throws {
        let tenure = SwitchedTenure()
        let isLost = try await withBroker(tenure) { broker in
            try broker.show("A", priority: 1)
            #expect(try broker.state(within: 20_000) == "A")
            tenure.set(.unconfirmed)
            try broker.show("B", priority: 2)
            var said = try broker.state(within: 300)
            // A repetition may have been on its way.
            while said == "A" { said = try broker.state(within: 300) }
            #expect(said == nil)

            tenure.set(.held)

            said = try broker.state(within: 20_000)
            while said == "A" { said = try broker.state(within: 20_000) }
            #expect(said == "B")
        }
        #expect(!isLost)
    }

    @Test("that is awaited lets clients connect, and send when it begins")
    func awaited() async throws {
        let tenure = SwitchedTenure()
        tenure.set(.awaited)
        let broker = try Broker(
            transport: try ZeroMQTransport(endpoints: RunningBroker.free), journal: MemoryJournal(),
            logger: RunningBroker.silent, tenure: tenure)
        let (standby, isStandby) = AsyncStream.makeStream(of: BrokerEndpoints.self)
        async let end: Void = broker.run(onStandby: {
            isStandby.yield($0)
            isStandby.finish()
        })
        for await endpoints in standby {
            defer { broker.stop() }
            let context = try Context()
            // An XPUB sees the broker's subscription arrive.
            let commands = try Socket(context, .xpub, options: [.linger(milliseconds: 0)])
            try commands.connect(endpoints.ingress)
            let messages = try Socket(context, .sub, options: [.linger(milliseconds: 0)])
            try messages.subscribe(to: "heartbeat")
            try messages.connect(endpoints.egress)
            var poller = Poller()
            let (ingress, egress) = (poller.add(commands), poller.add(messages))
            _ = try poller.wait(timeoutMilliseconds: 500)
            #expect(!poller[ingress].contains(.readable) && !poller[egress].contains(.readable))

            tenure.set(.held)

            #expect(try nextFrame(of: commands) == [1])
            #expect(try nextFrame(of: messages).starts(with: Array("heartbeat".utf8)))
        }
        try await end
    }

    @Test("that is awaited ends with the broker, or is lost", arguments: [true, false])
    func neverBegun(isLost: Bool) async throws {
        let tenure = SwitchedTenure()
        tenure.set(.awaited)
        let broker = try Broker(
            transport: try ZeroMQTransport(endpoints: RunningBroker.free), journal: MemoryJournal(),
            logger: RunningBroker.silent, tenure: tenure)
        if isLost { tenure.set(.lost) } else { broker.stop() }

        try await broker.run(onReady: { _ in Issue.record("it is ready") })
    }

    @Test("that is lost ends the broker, which says nothing more")
    func lost() async throws {
        let tenure = SwitchedTenure()
        let isLost = try await withBroker(tenure) { broker in
            try broker.show("A", priority: 1)
            #expect(try broker.state(within: 20_000) == "A")
            tenure.set(.lost)
            try broker.show("B", priority: 2)
            while let said = try broker.state(within: 500) { #expect(said == "A") }
        }
        #expect(isLost)
    }
}

extension RunningBroker {
    fileprivate func show(_ id: String, priority: Int) throws {
        try send(#"{"show":{"id":"\#(id)","group":"lobby","priority":\#(priority)}}"#)
    }

    /// Returns the active popup of the next state; `nil` if none comes in time.
    fileprivate func state(within milliseconds: Int) throws -> String? {
        var poller = Poller()
        _ = poller.add(messages)
        _ = try poller.wait(timeoutMilliseconds: milliseconds)
        guard try messages.receive() != nil, let body = try messages.receive() else { return nil }
        return try WireEncoding.json.decode(body.copy(), as: WireGroupState.self).active.id
    }
}
