import PopupClient
import Testing
import ZeroMQ

@Suite("A producer", .timeLimit(.minutes(1)))
struct ProducerTests {
    @Test("loses nothing that it sends before the broker is there")
    func slowJoiner() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints)
        async let sent: String = producer.show(Popup(id: "early", group: "lobby", priority: 5, text: "Hello"))

        let broker = try FakeBroker(at: endpoints)

        #expect(try await sent == "early")
        let received = await broker.commands(1).commands
        #expect(received.map(\.show) == [Popup(id: "early", group: "lobby", priority: 5, text: "Hello")])
        await producer.close()
    }

    @Test("sends a command in a frame, and many in few, in order")
    func batches() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints)
        let ids = (0..<1000).map { "popup-\($0)" }
        try producer.enqueue(ids.map { Popup(id: $0, group: "lobby", text: "Hello") })

        let broker = try FakeBroker(at: endpoints)
        try await producer.flush()
        try await producer.show(Popup(id: "last", group: "lobby", text: "Hello"))

        let (commands, frames) = await broker.commands(1001)
        #expect(commands.map(\.show.id) == ids + ["last"])
        #expect(frames.count == 5)
        #expect(frames.allSatisfy { $0.count <= 64 * 1024 })
        await producer.close()
    }

    @Test("names a popup that has no id, each time differently")
    func naming() async throws {
        let broker = try FakeBroker()
        let producer = try Producer(broker.endpoints)

        let first = try await producer.show(Popup(group: "lobby", text: "Hello"))
        let second = try await producer.show(Popup(group: "lobby", text: "Hello"))

        #expect(first != second)
        #expect(await broker.commands(2).commands.map(\.show.id) == [first, second])
        await producer.close()
    }

    @Test("says which endpoint has not been reached, in which time, and what to do")
    func notConnected() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints)

        let error = await #expect(throws: ClientError.self) {
            try await producer.connected(timeout: .milliseconds(50))
        }

        #expect(error == .notConnected(endpoint: endpoints.ingress, after: .milliseconds(50)))
        #expect(
            error?.description
                == "no broker reached at \(endpoints.ingress) in 0.05 s; start one with `popup-broker run`, or name"
                + " another endpoint")
        await producer.close()
    }

    @Test("sends again after the broker was restarted")
    func restart() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let producer = try Producer(first.endpoints)
        try await producer.connected()
        await first.stop()
        // The loss is noticed when the connection breaks; what is sent before that is lost with it.
        while (try? await producer.connected(timeout: .zero)) != nil { await Task.yield() }

        async let sent = producer.show(Popup(id: "later", group: "lobby", text: "Hello"))
        let second = try FakeBroker(at: first.endpoints)

        #expect(try await sent == "later")
        #expect(await second.commands(1).commands.map(\.show.id) == ["later"])
        await producer.close()
    }

    @Test("does not send what was cancelled while it waited")
    func cancellation() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints)
        let cancelled = Task { try await producer.show(Popup(id: "no", group: "lobby", text: "Hello")) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        let broker = try FakeBroker(at: endpoints)
        try await producer.show(Popup(id: "yes", group: "lobby", text: "Hello"))

        #expect(await broker.commands(1).commands.map(\.show.id) == ["yes"])
        await producer.close()
    }

    @Test("refuses what the broker would refuse, before it is sent")
    func refusals() async throws {
        var limits = ClientLimits()
        limits.queuedCommands = 1
        let producer = try Producer(FakeBroker.unusedEndpoints(), limits: limits)

        let refused = await #expect(throws: ClientError.self) {
            try await producer.show(Popup(id: "A", group: "no group", text: "Hello"))
        }
        guard case .refused(let refusal)? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(refusal.reason == .invalid)

        let tooLarge = await #expect(throws: ClientError.self) {
            try await producer.show(
                Popup(id: "A", group: "lobby", text: String(repeating: "x", count: 131_072)))
        }
        #expect(tooLarge == .tooLarge(bytes: 131_090, limit: 131_072))

        #expect(throws: ClientError.queueFull(limit: 1)) {
            try producer.enqueue([Popup(group: "lobby", text: "1"), Popup(group: "lobby", text: "2")])
        }
        await producer.close()
        #expect(throws: ClientError.closed) { try producer.enqueue([Popup(group: "lobby", text: "3")]) }
    }

    @Test("does not begin with an endpoint that is none")
    func endpoint() {
        #expect(
            throws: ClientError.socket(ZeroMQError(code: 22, operation: .connect, subject: "5570"))
        ) {
            _ = try Producer(BrokerEndpoints(ingress: "5570", egress: "5571"))
        }
    }

    @Test("delivers what it sent before it closed, and fails what it had not sent")
    func closing() async throws {
        let broker = try FakeBroker()
        let producer = try Producer(broker.endpoints)
        try await producer.show(Popup(id: "sent", group: "lobby", text: "Hello"))
        await producer.close()
        #expect(await broker.commands(1).commands.map(\.show.id) == ["sent"])

        let unheard = try Producer(FakeBroker.unusedEndpoints())
        let waiting = Task { try await unheard.show(Popup(id: "A", group: "lobby", text: "Hello")) }
        await unheard.close()
        await #expect(throws: ClientError.closed) { _ = try await waiting.value }
    }
}
