@testable import PopupBroker
import PopupProtocol
import Synchronization
import Testing

@Suite("The calls that are not answered, without a loop")
struct PendingCallsTests {
    /// The outcomes in the order in which callers received them.
    private final class Outcomes: Sendable {
        private let kept = Mutex<[String]>([])
        private let timeZones = LoadedTimeZones(TimeZoneDirectory(path: "/none"))

        var all: [String] { kept.withLock { $0 } }

        func ofCall(_ name: String) -> PendingCalls.Completion {
            { [self] refusal in kept.withLock { $0.append("\(name) \(refusal?.detail ?? "accepted")") } }
        }

        func ofReload(_ name: String) -> Reload {
            Reload(BrokerConfiguration(), timeZones: timeZones) { [self] result in
                let outcome =
                    switch result {
                    case .success: "done"
                    case .failure(let error): (error as? CommandRefusal)?.detail ?? "failed"
                    }
                kept.withLock { $0.append("\(name) \(outcome)") }
            }
        }
    }

    private let outcomes = Outcomes()

    @Test("are answered when the outcomes are delivered, each once, in the order of the outcomes")
    func answers() {
        var calls = PendingCalls(limit: 10)
        let (first, second) = (calls.add(outcomes.ofCall("first")), calls.add(outcomes.ofCall("second")))
        calls.answer(second, nil)
        calls.answer(first, CommandRefusal(.invalid, "no"))
        #expect(outcomes.all == [])
        calls.deliver()
        calls.answer(first, nil)
        calls.deliver()
        #expect(outcomes.all == ["second accepted", "first no"])
    }

    @Test("are refused if as many wait as may")
    func limit() {
        var calls = PendingCalls(limit: 2)
        for name in ["first", "second"] {
            #expect(calls.refusalOfNext == nil)
            calls.append(.command(WireCommand(), call: calls.add(outcomes.ofCall(name))))
        }
        #expect(calls.refusalOfNext?.reason == .overload)
        _ = calls.takeRequest()
        #expect(calls.refusalOfNext == nil)
    }

    @Test("are counted when the turn begins, and again when they are in the loop")
    func counts() {
        var calls = PendingCalls(limit: 10)
        calls.beginTurn(count: 3)
        #expect(calls.countOfTurn == 3)
        calls.append(.command(WireCommand(), call: calls.add(outcomes.ofCall("first"))))
        calls.countRequests()
        #expect(calls.countOfTurn == 1)
    }

    @Test("begin in their order, and are not over while a reload takes effect")
    func order() {
        var calls = PendingCalls(limit: 10)
        calls.append(.command(WireCommand(), call: 7))
        calls.append(.reload(outcomes.ofReload("reload")))
        guard case .command(_, call: 7)? = calls.takeRequest() else { Issue.record("no command"); return }
        guard case .reload(let reload)? = calls.takeRequest() else { Issue.record("no reload"); return }
        #expect(!calls.hasRest && !calls.isReloading)
        calls.keep(reload)
        #expect(calls.hasRest && calls.isReloading)
        let taken = calls.takeReload()
        #expect(taken != nil && !calls.hasRest)
    }

    @Test("tell a reload that a batch could not be committed, if it has policies in it")
    func uncommittedBatch() {
        var refused: [Bool?] = []
        for hasGathered in [false, true] {
            var calls = PendingCalls(limit: 10)
            var reload = outcomes.ofReload("reload")
            reload.hasGathered = hasGathered
            calls.keep(reload)
            calls.recordUncommittedBatch()
            refused.append(calls.takeReload()?.isRefused)
        }
        #expect(refused == [false, true])
    }

    @Test("all end with the loop: those with an outcome by it, the others by its refusal")
    func end() {
        var calls = PendingCalls(limit: 10)
        let answered = calls.add(outcomes.ofCall("answered"))
        calls.append(.command(WireCommand(), call: calls.add(outcomes.ofCall("waiting"))))
        calls.append(.reload(outcomes.ofReload("waiting reload")))
        calls.keep(outcomes.ofReload("reload"))
        calls.answer(answered, nil)
        calls.endAll(CommandRefusal(.overload, "over"))
        #expect(
            outcomes.all == ["answered accepted", "waiting over", "waiting reload over", "reload over"])
        #expect(!calls.hasRest)
    }
}
