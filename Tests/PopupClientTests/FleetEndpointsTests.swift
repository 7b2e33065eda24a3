import PopupProtocol
import Synchronization
import Testing

@testable import PopupClient

@Suite("A client of several nodes", .timeLimit(.minutes(5)))
struct FleetEndpointsTests {
    private static func both(_ one: FakeBroker, _ other: FakeBroker) -> BrokerEndpoints {
        BrokerEndpoints(
            ingress: "\(one.endpoints.ingress), \(other.endpoints.ingress)",
            egress: "\(one.endpoints.egress),\(other.endpoints.egress)")
    }

    @Test("reads lists of endpoints, separated by commas")
    func lists() {
        #expect(BrokerEndpoints.list("tcp://a:1") == ["tcp://a:1"])
        #expect(BrokerEndpoints.list(" tcp://a:1 ,tcp://b:2,") == ["tcp://a:1", "tcp://b:2"])
        #expect(BrokerEndpoints.list("") == [""])
    }

    @Test("sends to each node that listens, and believes the one that acknowledges")
    func stoppedOwner() async throws {
        // It reads, and answers nothing.
        let stopped = try FakeBroker(epoch: nil)
        let owner = try FakeBroker(epoch: 2)
        let producer = try Producer(Self.both(stopped, owner), limits: .patient)

        #expect(try await producer.show(Popup(id: "A", group: "lobby", text: "Hello")) == "A")

        #expect(await owner.commands(1).commands.map(\.show.id) == ["A"])
        await producer.close()
    }

    @Test("goes on with the next node when one is gone")
    func takeOver() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints(), epoch: nil)
        let place = FakeBroker.unusedEndpoints()
        let producer = try Producer(
            BrokerEndpoints(
                ingress: "\(first.endpoints.ingress),\(place.ingress)",
                egress: "\(first.endpoints.egress),\(place.egress)"), limits: .patient)
        async let sent = producer.show(Popup(id: "A", group: "lobby", text: "Hello"))
        #expect(await first.commands(1).commands.map(\.show.id) == ["A"])
        await first.stop()

        let second = try FakeBroker(at: place, epoch: 2)

        #expect(try await sent == "A")
        #expect(await second.commands(1).commands.map(\.show.id) == ["A"])
        await producer.close()
    }

    @Test("drops what an older owner says of any group once it has heard a newer one")
    func newestEpoch() async throws {
        let old = try FakeBroker()
        let new = try FakeBroker()
        let renderer = try Renderer(Self.both(old, new), limits: .patient)
        let screens = try renderer.states(of: "*")
        await old.subscribed(to: "state+frame/")
        await new.subscribed(to: "state+frame/")
        var seen: [String] = []
        var states = screens.makeAsyncIterator()
        func next() async throws { seen.append(try await states.next()?.popup?.id ?? "-") }

        try old.publish(WireGroupState("hall", epoch: 1, revision: 1, popup: "first"))
        try await next()
        try new.publish(WireGroupState("lobby", epoch: 2, revision: 1, popup: "second"))
        try await next()
        // A group of which the new owner has said nothing yet.
        try old.publish(WireGroupState("yard", epoch: 1, revision: 9, popup: "too late"))
        try old.publish(WireGroupState("hall", epoch: 1, revision: 2, popup: "too late"))
        try old.publish(WireGroupState("yard", epoch: 2, revision: 1, popup: "third"))
        try await next()

        #expect(seen == ["first", "second", "third"])
        await renderer.close()
    }

    @Test("drops the events of an older owner once it has heard a newer one")
    func eventsOfNewestEpoch() async throws {
        let old = try FakeBroker()
        let new = try FakeBroker()
        let admin = try AdminClient(Self.both(old, new), limits: .patient)
        var events = try admin.events(of: ["*"]).makeAsyncIterator()
        await old.subscribed(to: "events/")
        await new.subscribed(to: "events/")
        var seen: [String] = []
        func next() async throws { seen.append(try await events.next()?.popup ?? "-") }

        try old.publish(.shown("first", in: "hall", epoch: 1))
        try await next()
        try new.publish(.shown("second", in: "lobby", epoch: 2))
        try await next()
        try old.publish(.shown("too late", in: "hall", epoch: 1))
        try old.publish(.shown("third", in: "hall", epoch: 2))
        try await next()

        #expect(seen == ["first", "second", "third"])
        await admin.close()
    }

    @Test("takes the reply of the newest owner, although an older one answers first")
    func replyOfNewestEpoch() async throws {
        let queries = Mutex(0)
        let old = try FakeBroker(answer: { Self.reply(to: $0, popups: 1, epoch: 1) })
        let new = try FakeBroker(
            epoch: 2,
            answer: { command in
                // The first query is lost.
                let isFirst = queries.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? [] : Self.reply(to: command, popups: 2, epoch: 2)
            })
        let admin = try AdminClient(Self.both(old, new), limits: .patient)
        var events = try admin.events(of: ["*"]).makeAsyncIterator()
        await new.subscribed(to: "events/")
        try new.publish(.shown("A", in: "lobby", epoch: 2))
        _ = try await events.next()

        #expect(try await admin.count() == 2)

        #expect(queries.withLock { $0 } > 1)
        await admin.close()
    }

    private static func reply(to command: WireCommand, popups: UInt32, epoch: UInt64) -> [(Topic, [UInt8])] {
        guard case .count? = command.query.query else { return [] }
        var result = WireResult()
        result.count.popups = popups
        return FakeBroker.reply(to: command, result, epoch: epoch)
    }
}
