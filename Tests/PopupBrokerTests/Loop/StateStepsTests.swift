import Logging
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import PopupState
import Testing

/// The steps of the state machine in a turn.
@Suite struct StateStepsTests {
    private static func state() -> BrokerState { BrokerState(JournaledSettings(BrokerConfiguration())) }

    private static func publisher() -> Publisher {
        Publisher(
            BrokerConfiguration(), transport: InProcessTransport(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, epoch: 7, at: 0)
    }

    private static func show() -> BrokerState.Entry {
        var command = WireCommand()
        command.show.id = "A"
        command.show.group = "g"
        return .command(command)
    }

    @Test func `a turn ends when its budget is spent, and what must not be interrupted goes beyond it`() {
        var steps = StateSteps()
        var state = Self.state()
        let publisher = Self.publisher()
        steps.limit(workOfTurn: 1)
        var isSpent = [steps.isSpent]
        steps.beginTurn()
        isSpent.append(steps.isSpent)
        let mark = steps.mark(in: state)
        _ = steps.apply(Self.show(), from: nil, at: 0, to: &state)
        steps.spend(since: mark, in: state, publisher)
        isSpent.append(steps.isSpent)
        let left = steps.liftBudget()
        isSpent.append(steps.isSpent)
        steps.resume(with: left)
        isSpent.append(steps.isSpent)
        steps.endTurn()
        isSpent.append(steps.isSpent)
        #expect(isSpent == [false, false, true, false, true, false])
    }

    @Test func `the results of steps are kept until they are emptied`() {
        var steps = StateSteps()
        var state = Self.state()
        _ = steps.apply(Self.show(), from: nil, at: 0, to: &state)
        let count = steps.results.events.count
        let outcome = steps.apply(.query, from: nil, at: 0, to: &state)
        let (countAfterQuery, isFull) = (steps.results.events.count, steps.isFull)
        #expect(count > 0 && countAfterQuery == count)
        #expect(outcome.refusal == nil && !isFull)
        steps.forgetResults()
        let (events, changes) = (steps.results.events.count, steps.results.changes.count)
        #expect(events == 0 && changes == 0)
    }

    @Test func `the subject of a refusal is that of the last event`() {
        var steps = StateSteps()
        var state = Self.state()
        _ = steps.apply(Self.show(), from: nil, at: 0, to: &state)
        var subject = steps.subjectOfRefusal()
        #expect(subject == ("", ""))
        var dismissal = WireCommand()
        dismissal.dismiss.id = "B"
        dismissal.dismiss.group = "g"
        let outcome = steps.apply(.command(dismissal), from: nil, at: 0, to: &state)
        subject = steps.subjectOfRefusal()
        #expect(outcome.refusal != nil && subject == ("g", "B"))
    }

    @Test func `the user of the entries is that of the author who changed last`() throws {
        var steps = StateSteps()
        var state = Self.state()
        let log = Array("a command of ann".utf8)
        let sender = BatchEntry.Sender(nameBytes: 3, change: 1)
        let entry = BatchEntry(
            content: .other(TableIndex(number: 0)), kind: .show, range: 0..<log.count, sender: sender)
        steps.enter(authorOf: entry, log.span.bytes, in: &state)
        let user = state.producers.user
        #expect(user == "ann")
    }
}
