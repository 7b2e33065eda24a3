import PopupProtocol
import Synchronization
import Testing

@_spi(Wire) @testable import PopupClient

@Suite("An administration client", .timeLimit(.minutes(5)))
struct AdminClientTests {
    @Test("is answered, each query its own answer")
    func queries() async throws {
        let broker = try FakeBroker(answer: Self.answer)
        let admin = try AdminClient(broker.endpoints, limits: .patient)

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
        let admin = try AdminClient(broker.endpoints, limits: .patient)

        #expect(try await admin.count() == 42)
        let nonces = await broker.commands(3).commands.map(\.query.nonce)
        #expect(nonces == ["1", "1", "1"])
        await admin.close()
    }

    @Test("is told when there is no reply, and by which endpoint")
    func silence() async throws {
        let broker = try FakeBroker()
        var limits = ClientLimits.patient
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
        let admin = try AdminClient(broker.endpoints, limits: .patient)

        await #expect(throws: ClientError.refused(Refusal(.notFound, "no such group"))) {
            try await admin.peek("lobby")
        }
        await admin.close()
    }

    @Test("asks for further pages after the last key, until the last page")
    func pages() async throws {
        let broker = try FakeBroker { Self.page(of: $0, ["": ["a", "b"], "b": ["ba", "c"], "c": ["d"]], last: "c") }
        let admin = try AdminClient(broker.endpoints, limits: .patient)

        #expect(try await admin.policies().map(\.policy.group) == ["a", "b", "ba", "c", "d"])
        #expect(try await admin.suspensions().map(\.token) == ["a", "b", "ba", "c", "d"])
        #expect(try await admin.producers().map(\.producer) == ["a", "b", "ba", "c", "d"])
        #expect(try await admin.groups(after: "b").groups.map(\.group) == ["ba", "c"])
        #expect(try await admin.renderers(after: "b").renderers.map(\.client) == ["ba", "c"])
        await admin.close()
    }

    @Test("does not follow pages without end, whose last keys stay or go back", arguments: ["b", "a", ""])
    func endlessPages(_ key: String) async throws {
        let broker = try FakeBroker { Self.page(of: $0, ["": ["a", "b"], "b": ["c", key]], last: nil) }
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        func isRefused(_ error: any Error) -> Bool {
            if case ClientError.refused(let refusal)? = error as? ClientError {
                refusal.reason == .unsupported && refusal.detail.contains("pages have no end")
            } else {
                false
            }
        }

        await #expect { _ = try await admin.policies() } throws: { isRefused($0) }
        await #expect { _ = try await admin.suspensions() } throws: { isRefused($0) }
        await #expect { _ = try await admin.producers() } throws: { isRefused($0) }
        await #expect { _ = try await admin.groups(after: "b") } throws: { isRefused($0) }
        await #expect { _ = try await admin.renderers(after: "b") } throws: { isRefused($0) }
        await admin.close()
    }

    @Test("gives up pages that have more entries together than a broker can have")
    func tooManyEntries() async throws {
        let broker = try FakeBroker { Self.page(of: $0, ["": ["a", "b"], "b": ["ba", "c"], "c": ["d"]], last: "c") }
        let admin = try AdminClient(broker.endpoints, limits: .patient)

        #expect(try await admin.policies(most: 5).count == 5)
        #expect(try await admin.suspensions(for: nil, most: 5).count == 5)
        #expect(try await admin.producers(most: 5).count == 5)
        for most in [1, 4] {
            let isRefused = { (error: any Error) in
                guard case ClientError.refused(let refusal)? = error as? ClientError else { return false }
                return refusal.reason == .unsupported && refusal.detail.contains("more than \(most) entries")
            }
            await #expect { _ = try await admin.policies(most: most) } throws: { isRefused($0) }
            await #expect { _ = try await admin.suspensions(for: nil, most: most) } throws: { isRefused($0) }
            await #expect { _ = try await admin.producers(most: most) } throws: { isRefused($0) }
        }
        await admin.close()
    }

    @Test("follows events in their order, all of them")
    func events() async throws {
        let broker = try FakeBroker()
        let admin = try AdminClient(broker.endpoints, limits: .patient)
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
        var limits = ClientLimits.patient
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
        let admin = try AdminClient(broker.endpoints, limits: .patient)
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

    /// The page of keys after the one of a query; it says that there are more, but after `last`.
    private static func page(
        of command: WireCommand, _ pages: [String: [String]], last: String?
    ) -> [(Topic, [UInt8])] {
        func page<Entry>(after key: String, _ entry: (String) -> Entry) -> (entries: [Entry], hasMore: Bool) {
            (pages[key, default: []].map(entry), key != last)
        }
        var result = WireResult()
        switch command.query.query {
        case .policies(let query):
            (result.policies.policies, result.policies.truncated) = page(after: query.after) { key in
                var policy = WirePolicyInForce()
                policy.policy.group = key
                return policy
            }
        case .suspensions(let query):
            (result.suspensions.suspensions, result.suspensions.truncated) = page(after: query.after) { key in
                var suspension = WireSuspension()
                suspension.token = key
                return suspension
            }
        case .groups(let query):
            (result.groups.groups, result.groups.truncated) = page(after: query.after) { key in
                var counts = WireGroupCounts()
                counts.group = key
                return counts
            }
        // Without `after`, they would come in another order, and in no pages.
        case .producers(let query) where query.hasAfter:
            (result.producers.producers, result.producers.truncated) = page(after: query.after) { key in
                var producer = WireProducerSequences()
                producer.producer = key
                return producer
            }
        case .renderers(let query):
            (result.renderers.renderers, result.renderers.truncated) = page(after: query.after) { key in
                var renderer = WireRenderer()
                renderer.client = key
                return renderer
            }
        default: break
        }
        return FakeBroker.reply(to: command, result)
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
