@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization
import Testing
import ZeroMQ

@Suite("A producer", .timeLimit(.minutes(5)))
struct ProducerTests {
    @Test("loses nothing that it sends before the broker is there")
    func slowJoiner() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints, limits: .patient)
        async let sent: String = producer.show(Popup(id: "early", group: "lobby", priority: 5, text: "Hello"))

        let broker = try FakeBroker(at: endpoints)

        #expect(try await sent == "early")
        let received = await broker.commands(1).commands
        #expect(received.map(\.show) == [Popup(id: "early", group: "lobby", priority: 5, text: "Hello").wire])
        await producer.close()
    }

    @Test("returns when the broker has acknowledged the command, and throws what it refuses")
    func confirmed() async throws {
        let broker = try FakeBroker(judge: { command in
            command.show.id == "no" ? .refuse(.permissionDenied, "no right to lobby") : .accept
        })
        let producer = try Producer(broker.endpoints, limits: .patient)

        #expect(try await producer.show(Popup(id: "yes", group: "lobby", text: "Hello")) == "yes")
        await #expect(throws: ClientError.refused(Refusal(.permissionDenied, "no right to lobby"))) {
            try await producer.show(Popup(id: "no", group: "lobby", text: "Hello"))
        }
        #expect(await broker.commands(2).commands.map(\.show.id) == ["yes", "no"])
        await producer.close()
    }

    @Test("sends again what the broker had no room for")
    func overload() async throws {
        let asked = Counter()
        let broker = try FakeBroker(judge: { _ in
            asked.value.add(1, ordering: .relaxed).newValue < 3 ? .putOff(milliseconds: 20) : .accept
        })
        let producer = try Producer(broker.endpoints, limits: .patient)
        try await producer.show(Popup(id: "A", group: "lobby", text: "Hello"))
        #expect(asked.value.load(ordering: .relaxed) == 3)
        await producer.close()
    }

    @Test("says that a command without an acknowledgement may or may not be accepted")
    func acknowledgementTimedOut() async throws {
        let broker = try FakeBroker(epoch: nil)
        var limits = ClientLimits.patient
        limits.sendTimeout = .milliseconds(50)
        let producer = try Producer(broker.endpoints, limits: limits)
        try await producer.connected(timeout: .seconds(50))
        let missing = ClientError.acknowledgementTimedOut(endpoint: broker.endpoints.egress, after: .milliseconds(50))
        /// Returns the error of a call of which something has left: on a busy machine, its time may be over before that.
        func error(of call: () async throws -> Void) async -> ClientError? {
            while true {
                do {
                    try await call()
                    return nil
                } catch ClientError.sendTimedOut {
                    continue
                } catch {
                    return error as? ClientError
                }
            }
        }

        #expect(
            await error(of: { _ = try await producer.show(Popup(id: "A", group: "lobby", text: "Hello")) }) == missing)
        #expect(await error(of: { try await producer.flush() }) == missing)
        #expect(
            missing.description.hasPrefix(
                "no acknowledgement from \(broker.endpoints.egress) in 0.05 s: the broker may or may not have accepted")
        )

        let later = PopupCommand(.show(Popup(id: "B", group: "lobby", text: "Hello")))
        let open = Task { try await producer.connection.send(later, timeout: .seconds(60)) }
        // Sent again, the first one has been in the window all the time.
        var seen: [String: Int] = [:]
        for await frame in broker.frames {
            for case .success(let command) in Ingress.commands(in: frame) { seen[command.show.id, default: 0] += 1 }
            if seen["A", default: 0] > 1, seen["B", default: 0] > 0 { break }
        }
        await producer.close()
        await #expect(throws: ClientError.closedBeforeAcknowledgement) { try await open.value }
    }

    @Test("without acknowledgements returns when the command is under way")
    func bestEffort() async throws {
        let broker = try FakeBroker(epoch: nil)
        let producer = try Producer(broker.endpoints, delivery: .bestEffort, limits: .patient)
        try await producer.show(Popup(id: "A", group: "lobby", text: "Hello"))
        try await producer.flush()
        var sent: [WireCommand] = []
        for await frame in broker.frames {
            sent += Ingress.commands(in: frame).compactMap { try? $0.get() }
            break
        }
        #expect(sent.map(\.show.id) == ["A"])
        #expect(sent.map(\.producer) == [""])
        await producer.close()
    }

    @Test("is told by a flush what was refused of many, once")
    func flush() async throws {
        var limits = ClientLimits.patient
        limits.keptRefusals = 2
        let broker = try FakeBroker(judge: { command in
            command.show.id.hasSuffix("3") ? .refuse(.invalid, command.show.id) : .accept
        })
        let producer = try Producer(broker.endpoints, limits: limits)
        try producer.enqueue((0..<1000).map { Popup(id: "\($0)", group: "lobby", text: "Hello") })

        let refusals = [Refusal(.invalid, "3"), Refusal(.invalid, "13")]
        await #expect(throws: ClientError.partiallyRejected(refusals, count: 100)) { try await producer.flush() }
        try await producer.flush()
        try producer.enqueue([Popup(id: "3", group: "lobby", text: "Hello")])
        await #expect(throws: ClientError.refused(Refusal(.invalid, "3"))) { try await producer.flush() }
        await producer.close()
    }

    @Test("a connection sends commands of several kinds, one and many, in their order")
    func commands() async throws {
        let broker = try FakeBroker(judge: { command in
            command.dismiss.id == "unknown" ? .refuse(.notFound, "there is no popup `unknown`") : .accept
        })
        let connection = try BrokerConnection(broker.endpoints, limits: .patient)
        let dismissal = try PopupCommand(json: #"{"dismiss":{"id":"unknown"}}"#.utf8)
        let commands = [
            PopupCommand(.show(Popup(id: "A", group: "lobby", text: "Hello"))), dismissal,
            try PopupCommand(json: #"{"advance":{"group":"lobby"}}"#.utf8),
        ]
        try connection.enqueue(commands[0])
        await #expect(throws: ClientError.refused(Refusal(.notFound, "there is no popup `unknown`"))) {
            try await connection.submit(commands[1...])
        }
        let received = await broker.commands(3).commands
        #expect(received.map(\.command) == commands.map(\.wire.command))
        await connection.close()
    }

    @Test("finishes what a broker that was replaced has not acknowledged")
    func takeOver() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints(), epoch: nil)
        var limits = ClientLimits.patient
        limits.sendTimeout = .seconds(200)
        let producer = try Producer(first.endpoints, limits: limits)
        async let sent = producer.show(Popup(id: "A", group: "lobby", text: "Hello"))
        #expect(await first.commands(1).commands.map(\.show.id) == ["A"])
        await first.stop()

        let second = try FakeBroker(at: first.endpoints, epoch: 2)

        #expect(try await sent == "A")
        #expect(await second.commands(1).commands.map(\.show.id) == ["A"])
        await producer.close()
    }

    @Test("goes on with a broker that has forgotten it")
    func forgotten() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let producer = try Producer(first.endpoints, limits: .patient)
        for id in ["A", "B"] { try await producer.show(Popup(id: id, group: "lobby", text: "Hello")) }
        await first.stop()

        let second = try FakeBroker(at: first.endpoints, epoch: 2)
        for id in ["C", "D"] { try await producer.show(Popup(id: id, group: "lobby", text: "Hello")) }

        var sent: [WireCommand] = []
        for await frame in second.frames {
            sent += Ingress.commands(in: frame).compactMap { try? $0.get() }
            if sent.last?.show.id == "D" { break }
        }
        // C under the old name, which the broker denies; what is sent from then on counts from 1 again.
        #expect(sent.first?.sequence == 3)
        #expect(sent.last?.sequence == 1)
        #expect(Set(sent.map(\.producer)).count == 2)
        await producer.close()
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test("sends a command in a frame, and many in few, in order")
    func batches() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints, limits: .patient)
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
        let producer = try Producer(broker.endpoints, limits: .patient)

        let first = try await producer.show(Popup(group: "lobby", text: "Hello"))
        let second = try await producer.show(Popup(group: "lobby", text: "Hello"))

        #expect(first != second)
        #expect(await broker.commands(2).commands.map(\.show.id) == [first, second])
        await producer.close()
    }

    @Test("says which endpoint has not been reached, in which time, and what to do")
    func notConnected() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints, limits: .patient)

        let error = await #expect(throws: ClientError.self) {
            try await producer.connected(timeout: .milliseconds(50))
        }

        #expect(error == .notConnected(endpoint: endpoints.ingress, after: .milliseconds(50)))
        #expect(
            error?.description
                == "no broker reached at \(endpoints.ingress) in 0.05 s; start one with `popup-broker run`, or use"
                + " another endpoint")
        await producer.close()
    }

    @Test("says that ingress and egress may be exchanged")
    func exchangedEndpoints() async throws {
        let broker = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let exchanged = BrokerEndpoints(ingress: broker.endpoints.egress, egress: broker.endpoints.ingress)
        let producer = try Producer(exchanged, limits: .patient)

        let error = await #expect(throws: ClientError.self) {
            try await producer.connected(timeout: .seconds(50))
        }

        #expect(error == .handshakeFailed(endpoint: exchanged.ingress, .socketType))
        #expect(
            error?.description
                == "the endpoints are not those of a broker (ingress: \(exchanged.ingress)); check that ingress and egress are not"
                + " exchanged")
        await producer.close()
        await broker.stop()
    }

    @Test("sends again after the broker was restarted")
    func restart() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let producer = try Producer(first.endpoints, limits: .patient)
        try await producer.connected(timeout: .seconds(50))
        await first.stop()
        // The loss is noticed when the connection breaks; what is sent before that is lost with it. While libzmq closes the
        // socket in its own time, the client may have reached it once more.
        var lost: ClientError?
        while lost == nil {
            do { try await producer.connected(timeout: .milliseconds(50)) } catch {
                lost = try #require(error as? ClientError)
            }
        }
        // A broker that is gone is not one of the wrong kind.
        #expect(lost == .notConnected(endpoint: first.endpoints.ingress, after: .milliseconds(50)))

        async let sent = producer.show(Popup(id: "later", group: "lobby", text: "Hello"))
        let second = try FakeBroker(at: first.endpoints)

        #expect(try await sent == "later")
        #expect(await second.commands(1).commands.map(\.show.id) == ["later"])
        await producer.close()
    }

    @Test("does not send what was cancelled while it waited")
    func cancellation() async throws {
        let endpoints = FakeBroker.unusedEndpoints()
        let producer = try Producer(endpoints, limits: .patient)
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
        var limits = ClientLimits.patient
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
        #expect(tooLarge == .tooLarge(bytes: 131_135, limit: 131_072))

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
        let producer = try Producer(broker.endpoints, limits: .patient)
        try await producer.show(Popup(id: "sent", group: "lobby", text: "Hello"))
        await producer.close()
        #expect(await broker.commands(1).commands.map(\.show.id) == ["sent"])

        let unheard = try Producer(FakeBroker.unusedEndpoints(), limits: .patient)
        let waiting = Task { try await unheard.show(Popup(id: "A", group: "lobby", text: "Hello")) }
        await unheard.close()
        await #expect(throws: ClientError.closed) { _ = try await waiting.value }
    }
}
