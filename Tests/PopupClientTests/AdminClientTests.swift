import Synchronization
import Testing

@testable import PopupClient

@Suite("An administration client", .timeLimit(.minutes(1)))
struct AdminClientTests {
    @Test("is answered, each query its own answer")
    func queries() async throws {
        let broker = try FakeBroker(answer: Self.answer)
        let admin = try AdminClient(broker.endpoints)

        async let explanation = admin.explain("A")
        async let count = admin.count()

        #expect(try await explanation.id == "A")
        #expect(try await explanation.phase == .waiting)
        #expect(try await count == 42)
        #expect(try await admin.whoami().user == "clerk")
        await admin.close()
    }

    @Test("asks again when the answer overtook its subscription")
    func overtaken() async throws {
        let counter = Counter()
        let broker = try FakeBroker { command in
            counter.value.add(1, ordering: .relaxed).newValue < 3 ? [] : Self.answer(command)
        }
        let admin = try AdminClient(broker.endpoints)

        #expect(try await admin.count() == 42)
        let nonces = await broker.commands(3).commands.map(\.query.nonce)
        #expect(nonces == ["1", "1", "1"])
        await admin.close()
    }

    @Test("is told when there is no reply, and by which endpoint")
    func silence() async throws {
        let broker = try FakeBroker()
        var limits = ClientLimits()
        limits.replyTimeout = .milliseconds(60)
        let admin = try AdminClient(broker.endpoints, limits: limits)

        await #expect(throws: ClientError.noReply(endpoint: broker.endpoints.egress, after: .milliseconds(60))) {
            try await admin.count()
        }
        await admin.close()
    }

    @Test("is told why a query was refused")
    func refusal() async throws {
        let broker = try FakeBroker { command in
            var result = WireResult()
            result.refused.reason = .notFound
            result.refused.detail = "no such group"
            return FakeBroker.reply(to: command, result)
        }
        let admin = try AdminClient(broker.endpoints)

        await #expect(throws: ClientError.refused(CommandRefusal(.notFound, "no such group"))) {
            try await admin.peek("lobby")
        }
        await admin.close()
    }

    @Test("follows events in their order, all of them")
    func events() async throws {
        let broker = try FakeBroker()
        let admin = try AdminClient(broker.endpoints)
        let events = try admin.events(of: ["lobby", "store/*"])
        await broker.subscribed(to: "events/store/")
        for index in 0..<100 { try broker.publish(.shown("\(index)", in: index % 2 == 0 ? "lobby" : "store/1")) }

        var seen: [String] = []
        for try await event in events {
            seen.append(event.popup)
            if seen.count == 100 { break }
        }

        #expect(seen == (0..<100).map { "\($0)" })
        await admin.close()
    }

    @Test("that reads events too slowly is told, after those that were kept")
    func slowReader() async throws {
        let broker = try FakeBroker()
        var limits = ClientLimits()
        limits.queuedEvents = 3
        let admin = try AdminClient(broker.endpoints, limits: limits)
        let events = try admin.events(of: ["lobby"])
        let screens = try admin.states(of: ["lobby"])
        await broker.subscribed(to: "state+frame/lobby/")
        for index in 0..<5 { try broker.publish(.shown("\(index)", in: "lobby")) }
        // Sent last: when it has come, so have the events.
        try broker.publish(WireGroupState("lobby", revision: 1))
        for try await _ in screens { break }

        var seen: [String] = []
        await #expect(throws: ClientError.slowConsumer(limit: 3)) {
            for try await event in events { seen.append(event.popup) }
        }

        #expect(seen == ["0", "1", "2"])
        await admin.close()
    }

    @Test("knows when its streams are in force: what happens from then on is in them")
    func settling() async throws {
        let broker = try FakeBroker(answer: Self.answer)
        let admin = try AdminClient(broker.endpoints)
        let events = try admin.events(of: ["lobby"])

        try await admin.settled()
        try broker.publish(.shown("A", in: "lobby"))
        // What was published before an answer has come when the answer has.
        _ = try await admin.count()

        #expect(events.takeAvailable().map(\.popup) == ["A"])
        #expect(events.takeAvailable() == [])
        await admin.close()
    }

    @Test("is not answered what another of its desks was")
    func desks() async throws {
        let router = ReplyRouter(client: "c")
        let nonce = router.open()
        for client in ["c-7", "c"] {
            var reply = WireReply()
            reply.client = client
            reply.nonce = nonce
            reply.reply.count.popups = client == "c" ? 1 : 2
            router.receive(.reply(reply), at: .now)
        }
        #expect(try await router.reply(to: nonce).reply.count.popups == 1)
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    private static func answer(_ command: WireCommand) -> [(Topic, [UInt8])] {
        var result = WireResult()
        switch command.query.query {
        case .explain(let query):
            result.explain.id = query.id
            result.explain.phase = .waiting
        case .stats:
            result.stats.protocol = 1
        case .whoami:
            result.whoami.user = "clerk"
        default:
            result.count.popups = 42
        }
        return FakeBroker.reply(to: command, result)
    }
}
