import PopupProtocol
import Testing

@_spi(Wire) @testable import PopupClient

@Suite("A renderer", .timeLimit(.minutes(5)))
struct RendererTests {
    @Test("is given each new screen, and neither repetitions nor what is older")
    func versions() {
        var versions = VersionTracker()
        let timeline: [(state: WireGroupState, isNews: Bool)] = [
            (WireGroupState("a", epoch: 1, revision: 1), true),
            (WireGroupState("a", epoch: 1, revision: 1), false),
            (WireGroupState("a", epoch: 1, revision: 5), true),
            (WireGroupState("a", epoch: 1, revision: 4), false),
            (WireGroupState("b", epoch: 1, revision: 1), true),
            // A restarted broker counts from the beginning.
            (WireGroupState("a", epoch: 2, revision: 1), true),
            (WireGroupState("a", epoch: 1, revision: 9), false),
        ]

        #expect(timeline.map { versions.accept($0.state) } == timeline.map(\.isNews))
        #expect(versions.groups == 2)
    }

    @Test("sees what its groups show, whole, and no other group")
    func groups() async throws {
        let broker = try FakeBroker()
        let renderer = try Renderer(broker.endpoints, limits: .patient)
        let screens = try renderer.states(of: "lobby", "store/*")
        await broker.subscribed(to: "state+frame/store/")

        try broker.publish(WireGroupState("lobby/door", revision: 1, popup: "below a name"))
        try broker.publish(WireGroupState("store", revision: 1, popup: "not below"))
        try broker.publish(WireGroupState("store/1/bar", revision: 1, popup: "B"))
        try broker.publish(WireGroupState("lobby", revision: 7, popup: "A", waiting: 2))
        try broker.publish(WireGroupState("lobby", revision: 8))

        var seen: [String] = []
        for try await screen in screens {
            seen.append("\(screen.group) \(screen.state.revision) \(screen.popup?.id ?? "-") \(screen.waiting)")
            if seen.last == "lobby 8 - 0" { break }
        }
        // When the reader is slower than the broker, the newest of a group takes the place of its older one.
        let older = ["lobby 7 A 2"]
        #expect(seen.filter { !older.contains($0) }.sorted() == ["lobby 8 - 0", "store/1/bar 1 B 0"])
        await renderer.close()
    }

    @Test("that is slow gets the newest screen of each group, in the order of the groups' changes")
    func conflation() async throws {
        let box = GroupStateBox(filter: try GroupFilter(["*"]), limits: ClientLimits(), client: "c", stream: 1)
        let now = ContinuousClock.now
        for revision in 1...3 as ClosedRange<UInt64> {
            for group in ["a", "b"] {
                box.receive(.state(WireGroupState(group, revision: revision, popup: "\(revision)")), at: now)
            }
        }

        #expect(
            box.take() == GroupState(PublishedState(wire: WireGroupState("a", revision: 3, popup: "3")), received: now))
        box.receive(.state(WireGroupState("a", revision: 4)), at: now)
        #expect(
            box.take() == GroupState(PublishedState(wire: WireGroupState("b", revision: 3, popup: "3")), received: now))
        #expect(box.take() == GroupState(PublishedState(wire: WireGroupState("a", revision: 4)), received: now))
        #expect(box.take() == nil)
    }

    @Test("takes off what a restarted broker does not repeat")
    func succession() throws {
        let box = GroupStateBox(filter: try GroupFilter(["*"]), limits: ClientLimits(), client: "c", stream: 1)
        let start = ContinuousClock.now
        func receive(_ messages: EgressMessage..., at seconds: Int) -> [String] {
            for message in messages { box.receive(message, at: start + .seconds(seconds)) }
            var seen: [String] = []
            while let screen = box.take() {
                seen.append("\(screen.group) \(screen.state.epoch).\(screen.state.revision) \(screen.popup?.id ?? "-")")
            }
            return seen
        }

        #expect(
            receive(
                .heartbeat(WireHeartbeat(epoch: 1)), .state(WireGroupState("a", epoch: 1, revision: 3, popup: "A")),
                .state(WireGroupState("b", epoch: 1, revision: 4, popup: "B")),
                .state(WireGroupState("c", epoch: 1, revision: 5)), at: 0) == ["a 1.3 A", "b 1.4 B", "c 1.5 -"])
        #expect(receive(.heartbeat(WireHeartbeat(epoch: 1)), at: 100) == [])
        #expect(receive(.heartbeat(WireHeartbeat(epoch: 2)), at: 200) == [])
        #expect(receive(.state(WireGroupState("b", epoch: 2, revision: 1, popup: "B")), at: 205) == ["b 2.1 B"])
        #expect(receive(.heartbeat(WireHeartbeat(epoch: 2)), at: 211) == [])
        #expect(receive(.heartbeat(WireHeartbeat(epoch: 2)), at: 212) == ["a 2.0 -"])
        #expect(receive(.heartbeat(WireHeartbeat(epoch: 2)), at: 300) == [])
        #expect(receive(.state(WireGroupState("a", epoch: 2, revision: 1, popup: "N")), at: 301) == ["a 2.1 N"])
    }

    @Test("asks for what its groups show, takes off what is gone, and cancels its sync")
    func lateJoin() async throws {
        let broker = try FakeBroker()
        let renderer = try Renderer(broker.endpoints, limits: .patient)
        let screens = try renderer.states(of: "store/*")
        var iterator = screens.makeAsyncIterator()
        let topic = await broker.subscribed(below: "sync/")
        #expect(topic.hasSuffix("/store/"))
        var part = WireSync()
        part.states = [
            WireGroupState("store", revision: 1, popup: "not below"),
            // Nobody need be told of a group that shows nothing and never did.
            WireGroupState("store/0", revision: 9),
            WireGroupState("store/1", revision: 4, popup: "A"),
        ]
        broker.publish(topic, try WireEncoding.binary.encode(part))
        #expect(try await iterator.next()?.popup?.id == "A")
        try broker.publish(WireGroupState("store/2", epoch: 1, revision: 1, popup: "B"))
        #expect(try await iterator.next()?.popup?.id == "B")
        part = WireSync()
        part.end.epoch = 1
        part.end.states = 3
        broker.publish(topic, try WireEncoding.binary.encode(part))
        for await withdrawn in broker.withdrawals where withdrawn == topic { break }

        // Another epoch: it asks again. What came after its sync is newer than the answer.
        broker.publish("heartbeat/", try WireEncoding.binary.encode(WireHeartbeat(epoch: 2)))
        let again = await broker.subscribed(below: "sync/")
        #expect(again != topic)
        try broker.publish(WireGroupState("store/3", epoch: 2, revision: 1, popup: "C"))
        #expect(try await iterator.next()?.popup?.id == "C")
        part.end.epoch = 2
        part.end.states = 0
        broker.publish(again, try WireEncoding.binary.encode(part))
        var gone: [GroupState] = []
        for _ in 0..<2 { if let screen = try await iterator.next() { gone.append(screen) } }
        #expect(gone.map(\.group) == ["store/1", "store/2"])
        #expect(gone.allSatisfy { $0.popup == nil && $0.state.epoch == 2 })
        await renderer.close()
    }

    @Test("follows a bounded number of groups")
    func limit() async throws {
        let broker = try FakeBroker()
        var limits = ClientLimits.patient
        limits.groups = 1
        let renderer = try Renderer(broker.endpoints, limits: limits)
        let screens = try renderer.states(of: "*")
        await broker.subscribed(to: "state+frame/")

        try broker.publish(WireGroupState("a", revision: 1))
        try broker.publish(WireGroupState("b", revision: 1))

        await #expect(throws: ClientError.tooManyGroups(limit: 1)) { for try await _ in screens {} }
        await renderer.close()
    }

    @Test("counts down the display time that was left")
    func remaining() {
        var state = WireGroupState("lobby", revision: 1, popup: "A")
        let now = ContinuousClock.now
        #expect(GroupState(PublishedState(wire: state), received: now).remaining(at: now) == nil)
        state.active.remainingMs = 5000
        let screen = GroupState(PublishedState(wire: state), received: now)

        #expect(screen.remaining(at: now + .milliseconds(1500)) == .milliseconds(3500))
        #expect(screen.remaining(at: now + .seconds(6)) == .zero)
    }

    @Test("dismisses what it showed: the revision tells which showing")
    func dismissal() async throws {
        let broker = try FakeBroker()
        let renderer = try Renderer(broker.endpoints, name: ClientToken("kiosk-3"), limits: .patient)
        let state = WireGroupState("lobby", revision: 7, popup: "A")

        try await renderer.dismiss(GroupState(PublishedState(wire: state), received: .now), action: "ok")

        var expected = WireDismiss()
        expected.id = "A"
        expected.action = "ok"
        expected.revision = 7
        expected.client = "kiosk-3"
        expected.group = "lobby"
        #expect(await broker.commands(1).commands.map(\.dismiss) == [expected])
        await renderer.close()
    }

    @Test("goes on with a restarted broker")
    func restart() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let renderer = try Renderer(first.endpoints, limits: .patient)
        let screens = try renderer.states(of: "lobby")
        var iterator = screens.makeAsyncIterator()
        await first.subscribed(to: "state+frame/lobby/")
        try first.publish(WireGroupState("lobby", epoch: 1, revision: 9, popup: "A"))
        #expect(try await iterator.next()?.popup?.id == "A")
        await first.stop()

        let second = try FakeBroker(at: first.endpoints)
        await second.subscribed(to: "state+frame/lobby/")
        try second.publish(WireGroupState("lobby", epoch: 2, revision: 1, popup: "B"))

        #expect(try await iterator.next()?.popup?.id == "B")
        await renderer.close()
        await #expect(throws: ClientError.closed) { try await iterator.next() }
    }

    @Test("is told when a group is outside the grammar")
    func grammar() async throws {
        let broker = try FakeBroker()
        let renderer = try Renderer(broker.endpoints, limits: .patient)

        #expect(throws: ClientError.invalidGroup("a//b")) { try renderer.states(of: "a//b") }
        await renderer.close()
    }

    @Test("withdraws its subscription when its loop ends")
    func unsubscribing() async throws {
        let broker = try FakeBroker()
        let renderer = try Renderer(broker.endpoints, limits: .patient)
        do {
            let screens = try renderer.states(of: "lobby")
            await broker.subscribed(to: "state+frame/lobby/")
            _ = consume screens
        }
        // The broker would pass over a repeated subscription without a withdrawal, were it not verbose.
        let again = try renderer.states(of: "lobby")
        await broker.subscribed(to: "state+frame/lobby/")
        try broker.publish(WireGroupState("lobby", revision: 1, popup: "A"))
        var iterator = again.makeAsyncIterator()

        #expect(try await iterator.next()?.popup?.id == "A")
        await renderer.close()
    }
}
