import PopupProtocol
import Testing

@testable import PopupClient

@Suite("Of a broker that is not heard, a state", .timeLimit(.minutes(5)))
struct ConfirmationTests {
    private let start = ContinuousClock.now

    @Test("is confirmed for 5 s after its last message, of whatever kind, and again with the next one")
    func time() {
        var confirmation = Confirmation(timeout: ClientLimits().confirmationTimeout)
        func isOver(at milliseconds: Int) -> Bool { confirmation.expire(at: start + .milliseconds(milliseconds)) }
        func isBack(at seconds: Int) -> Bool { confirmation.recordMessage(at: start + .seconds(seconds)) }
        // What was never heard has said nothing.
        #expect(confirmation.deadline == nil)
        #expect(!isOver(at: 100_000))

        #expect(!isBack(at: 0))
        #expect(!isBack(at: 3))
        #expect(confirmation.deadline == start + .seconds(8))
        #expect(!isOver(at: 7999))
        #expect(isOver(at: 8000))
        // It is told once, and there is nothing to wait for.
        #expect(!isOver(at: 9000))
        #expect(confirmation.deadline == nil)

        #expect(isBack(at: 20))
        #expect(!isBack(at: 21))
        #expect(confirmation.deadline == start + .seconds(26))
    }

    @Test("stays confirmed where the limits have no time for it")
    func without() {
        var confirmation = Confirmation(timeout: nil)
        let isBack = confirmation.recordMessage(at: start)
        let isOver = confirmation.expire(at: start + .seconds(100_000))
        #expect(!isBack && !isOver)
        #expect(confirmation.deadline == nil)
    }

    @Test("comes again as one that is not confirmed, and then as one that is, with the time of its arrival")
    func states() throws {
        let box = GroupStateBox(
            filter: try GroupFilter(["*"]), limits: ClientLimits(), client: "c", stream: 1, at: start)
        func taken() -> [String] {
            var taken: [String] = []
            while let state = box.take() {
                let word = state.isConfirmed ? "confirmed" : "not confirmed"
                taken.append("\(state.group) \(state.popup?.id ?? "-") \(word) \(start.duration(to: state.received))")
            }
            return taken
        }
        box.receive(.state(WireGroupState("b", revision: 1, popup: "B")), at: start)
        box.receive(.state(WireGroupState("a", revision: 1, popup: "A")), at: start + .seconds(1))
        box.receive(.state(WireGroupState("a", revision: 2)), at: start + .seconds(2))
        #expect(taken() == ["b B confirmed 0.0 seconds", "a - confirmed 2.0 seconds"])
        // It was so before.
        box.confirm(true)
        #expect(taken() == [])

        box.confirm(false)
        #expect(taken() == ["a - not confirmed 2.0 seconds", "b B not confirmed 0.0 seconds"])
        box.confirm(false)
        #expect(taken() == [])

        box.confirm(true)
        box.receive(.state(WireGroupState("b", revision: 3, popup: "C")), at: start + .seconds(9))
        #expect(taken() == ["a - confirmed 2.0 seconds", "b C confirmed 9.0 seconds"])
    }

    @Test("is not confirmed when the broker has stopped, and is when another one says anything")
    func stoppedBroker() async throws {
        let place = FakeBroker.unusedEndpoints()
        let first = try FakeBroker(at: place)
        var limits = ClientLimits.patient
        limits.confirmationTimeout = .milliseconds(200)
        let renderer = try Renderer(place, limits: limits)
        var states = try renderer.states(of: "lobby").makeAsyncIterator()
        await first.subscribed(to: "state+frame/lobby/")
        try first.publish(WireGroupState("lobby", revision: 1, popup: "A"))
        var state = try #require(try await states.next())
        await first.stop()

        while state.isConfirmed { state = try #require(try await states.next()) }
        #expect(state.popup?.id == "A")

        let second = try FakeBroker(at: place)
        await second.subscribed(to: "heartbeat/")
        while !state.isConfirmed {
            // On a busy machine, it may be over before it is read.
            second.publish("heartbeat/", try WireEncoding.binary.encode(WireHeartbeat(epoch: 1)))
            state = try #require(try await states.next())
        }
        #expect(state.popup?.id == "A")
        await renderer.close()
    }

    @Test("is not confirmed by what a node says that was overtaken")
    func overtakenNode() async throws {
        let old = try FakeBroker(epoch: nil)
        let new = try FakeBroker(epoch: 2)
        var limits = ClientLimits.patient
        limits.confirmationTimeout = .milliseconds(500)
        let endpoints = BrokerEndpoints(
            ingress: "\(old.endpoints.ingress),\(new.endpoints.ingress)",
            egress: "\(old.endpoints.egress),\(new.endpoints.egress)")
        let renderer = try Renderer(endpoints, limits: limits)
        var states = try renderer.states(of: "lobby").makeAsyncIterator()
        await old.subscribed(to: "state+frame/lobby/")
        await new.subscribed(to: "state+frame/lobby/")
        try new.publish(WireGroupState("lobby", epoch: 2, revision: 1, popup: "A"))
        var state = try #require(try await states.next())

        // It goes on all the time.
        let speaking = Task {
            while !Task.isCancelled {
                old.publish("heartbeat/", try WireEncoding.binary.encode(WireHeartbeat(epoch: 1)))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        while state.isConfirmed { state = try #require(try await states.next()) }
        speaking.cancel()

        #expect(state.popup?.id == "A")
        await renderer.close()
    }
}
