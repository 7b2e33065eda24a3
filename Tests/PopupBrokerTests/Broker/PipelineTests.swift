@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("A batch in flight")
struct PipelineTests {
    @Test("is neither applied nor acknowledged before it is committed; what comes meanwhile is the next batch")
    func order() throws {
        let pipeline = try Pipeline(subscriptions: ["events/", "acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(show("B", 2))
        try broker.send(show("C", 3))
        let first = try broker.received()
        #expect(first == [])
        #expect(broker.stats.popups == 0)
        try pipeline.complete()
        #expect(
            broker.receivedMessages(of: broker.client).map(\.topic) == ["events/g/", "acks/\(alice)/"])
        // The other two have been submitted meanwhile.
        #expect(try pipeline.journal.kinds() == [[.command]])
        try pipeline.complete()
        #expect(try pipeline.journal.kinds() == [[.command], [.command, .command]])
        let second = try broker.acks()
        #expect(second == ["alice: 3"])
        #expect(broker.stats.popups == 3)
    }

    @Test("is worth it for many commands; few are committed at once, unless one is in flight")
    func threshold() throws {
        let pipeline = try Pipeline(leastEntries: 2)
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        #expect(broker.stats.popups == 1 && !pipeline.committer.isInFlight)
        try broker.send(show("B", 2), show("C", 3))
        #expect(broker.stats.popups == 1 && pipeline.committer.isInFlight)
        try broker.send(show("D", 4))
        #expect(broker.stats.popups == 1)
        // Two land, the fourth is committed at once.
        try pipeline.complete()
        #expect(broker.stats.popups == 3 && !pipeline.committer.isInFlight)
        try broker.turn()
        #expect(broker.stats.popups == 4 && !pipeline.committer.isInFlight)
    }

    @Test("makes a repetition of its commands none of the next batch's, and a contradiction refused")
    func repetition() throws {
        let pipeline = try Pipeline(subscriptions: ["acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1), show("B", 2))
        try broker.send(show("B", 2), show("X", 1), show("C", 3))
        try pipeline.flow()
        let kinds = try pipeline.journal.kinds()
        #expect(kinds == [[.command, .command], [.command]])
        #expect(broker.stats.repetitions == 1 && broker.stats.sequencesReused == 1 && broker.stats.popups == 3)
        let seen = try broker.acks().last
        #expect(seen == "alice: 3 !1 SEQUENCE_REUSED")
    }

    @Test("that can't be committed changes nothing; the next batch stands for itself")
    func failure() throws {
        let pipeline = try Pipeline(subscriptions: ["events/", "acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        // Taken for a repetition of what is in flight: its producer isn't told that it is safe.
        try broker.send(show("A", 1), show("B", 2))
        pipeline.journal.isFull = true
        try pipeline.complete()
        #expect(
            broker.receivedMessages(of: broker.client).map(\.topic) == ["events/g/", "acks/\(alice)/"])
        pipeline.journal.isFull = false
        try pipeline.complete()
        #expect(broker.stats.popups == 1)
        let first = try broker.acks().last
        #expect(first == "alice: 0 +2 !1 OVERLOAD after 1000")
        try broker.send(show("A", 1))
        try pipeline.complete()
        let second = try broker.acks().last
        #expect(second == "alice: 2")
        #expect(broker.stats.popups == 2)
    }

    @Test("is applied at the time at which it was submitted, before the timers after that")
    func time() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":100}}"#)
        try pipeline.complete()
        let first = try broker.receivedEvents()
        #expect(first == ["0 g A shown 1"])
        try broker.jump(to: 90)
        try broker.send(#"{"show":{"id":"B","group":"g","durationMs":100}}"#)
        #expect(broker.nextDeadline == nil)
        try broker.jump(to: 250)
        #expect(broker.time == 90)
        let second = try broker.receivedEvents()
        #expect(second == [])
        try pipeline.complete()
        try broker.turn()
        let third = try broker.receivedEvents()
        #expect(
            third == [
                "90 g B queued", "100 g A closed timedOut after 100ms", "100 g B shown 1",
                "200 g B closed timedOut after 100ms",
            ])
        #expect(broker.time == 250)
    }

    @Test("is published with the display time that is left when it is sent")
    func remaining() throws {
        let pipeline = try Pipeline(subscriptions: ["state/"])
        let broker = pipeline.broker
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":1000}}"#)
        try broker.jump(to: 400)
        try pipeline.complete()
        let told = try broker.receivedStates()
        #expect(told == ["g#1 A 600ms (shown A)"])
    }

    @Test("makes a timer late by its own commit at most: it is told while the next batch is in flight")
    func lateness() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":100}}"#)
        try pipeline.complete()
        try broker.send(show("B", 1))
        try broker.send(show("C", 2))
        _ = try broker.receivedEvents()
        // A is over while B is in flight.
        try broker.jump(to: 150)
        #expect(broker.nextDeadline == nil)
        try pipeline.complete()
        // C is in flight since 150.
        #expect(broker.nextDeadline == 100)
        try broker.turn()
        #expect(pipeline.committer.isInFlight)
        let told = try broker.receivedEvents()
        #expect(told == ["0 g B queued", "100 g A closed timedOut after 100ms", "100 g B shown 1"])
        #expect(broker.time == 150)
        #expect(broker.nextDeadline == nil)
        #expect(pipeline.journal.recordedTime == 150)
        // What is due later waits.
        try broker.jump(to: 9000)
        #expect(broker.time == 150)
        try pipeline.flow()
        let state = broker.schedulerState()
        try broker.close()
        #expect(try Harness(journal: pipeline.journal, at: 9000).schedulerState() == state)
    }

    @Test("that fails takes nothing back of the timers that were told before it completed; a replay has them")
    func latenessAndFailure() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":100}}"#)
        try pipeline.complete()
        try broker.send(show("B", 1))
        try broker.send(show("C", 2))
        try broker.jump(to: 150)
        try pipeline.complete()
        try broker.turn()
        pipeline.journal.isFull = true
        try pipeline.complete()
        pipeline.journal.isFull = false
        try broker.jump(to: 200)
        try broker.send(show("D", 3))
        try pipeline.flow()
        let state = broker.schedulerState()
        try broker.close()
        #expect(try Harness(journal: pipeline.journal, at: 200).schedulerState() == state)
    }

    @Test("is followed by the next at once; timers between the two are fired before that is applied")
    func timersBetween() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":100}}"#)
        try broker.send(#"{"show":{"id":"B","group":"g","durationMs":1000}}"#)
        try broker.jump(to: 150)
        // A is shown from 0 on; B was submitted at 150.
        try pipeline.complete()
        let first = try broker.receivedEvents()
        #expect(first == ["0 g A shown 1"])
        try pipeline.complete()
        let second = try broker.receivedEvents()
        #expect(
            second == [
                "100 g A closed timedOut after 100ms", "150 g B shown 1",
            ])
        let state = broker.schedulerState()
        try broker.close()
        #expect(try Harness(journal: pipeline.journal, at: 150).schedulerState() == state)
    }

    @Test("is waited for when the broker stops; what was received after it is committed, too")
    func stop() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(show("B", 2))
        try broker.close()
        #expect(pipeline.committer.isStopped)
        #expect(try pipeline.journal.kinds() == [[.command], [.command]])
        let seen = try broker.receivedEvents()
        #expect(seen == ["0 g A shown 1", "0 g B queued"])
    }

    @Test("is waited for by calls from other threads and by another configuration")
    func calls() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(show("B", 2))
        #expect(try broker.perform(.with { $0.dismiss.id = "A" }) == nil)
        let seen = try broker.receivedEvents()
        #expect(
            seen == [
                "0 g A shown 1", "0 g B queued", "0 g A closed dismissed after 0ms", "0 g B shown 1",
            ])
        pipeline.committer.isHolding = true
        try broker.send(show("C", 3))
        var configuration = BrokerConfiguration()
        configuration.policies = [
            .with {
                $0.group = "g"; $0.preset = .fifo
            }
        ]
        try broker.reconfigure(configuration)
        #expect(
            try pipeline.journal.kinds() == [[.command], [.command], [.command], [.command], [.configuredPolicy]])
    }

    @Test("delays a lease's end, which comes before what was received after it was due")
    func leaseEnd() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(
            #"{"setPolicy":{"group":"*","rendererLost":"CLOSE"}}"#, #"{"show":{"id":"A","group":"g"}}"#,
            #"{"lease":{"client":"r","groups":["g"]}}"#, #"{"report":{"id":"A","client":"r","displayed":{}}}"#)
        try pipeline.complete()
        try broker.jump(to: 4990)
        try broker.send(show("B", 1))
        try broker.send(show("C", 2))
        _ = try broker.receivedEvents()
        try broker.jump(to: 5010)
        let seen = try broker.receivedEvents()
        #expect(
            seen == [
                "4990 g B queued", "4990 g C queued", "5000 g A closed rendererLost after 5000ms", "5000 g B shown 1",
            ])
    }

    @Test("and the next may both change a lease: neither is taken for a renewal")
    func leaseChanges() throws {
        let pipeline = try Pipeline()
        let broker = pipeline.broker
        func lease(_ group: String) -> String { #"{"lease":{"client":"r","groups":["\#(group)"]}}"# }
        try broker.send(lease("a"))
        try broker.send(lease("b"))
        try pipeline.complete()
        try broker.send(lease("a"))
        try pipeline.complete()
        try pipeline.complete()
        try broker.send(lease("a"))
        try pipeline.flow()
        #expect(try pipeline.journal.kinds().joined().count == 3)
    }

    @Test("is told to plugins when it is committed, though they have been asked about the next before")
    func plugins() throws {
        let plugin = Diary()
        let pipeline = try Pipeline(plugins: [plugin])
        try pipeline.broker.send(show("A", 1))
        try pipeline.broker.send(show("B", 2))
        try pipeline.complete()
        try pipeline.complete()
        #expect(plugin.entries == ["asked A", "asked B", "told A", "told B"])
    }

    @Test("leaves room for the next within the bounds of producers and gaps")
    func bounds() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.maxProducers = 1
        configuration.limits.maxSequenceGaps = 2
        let pipeline = try Pipeline(configuration, subscriptions: ["acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 2), show("B", 3))
        // Adjoins what is in flight; opens a second range; opens a third.
        try broker.send(show("C", 4), show("D", 6), show("E", 8))
        try pipeline.flow()
        let seen = try broker.acks().last
        #expect(seen == "alice: 0 +2 +3 +4 +6 !8 OVERLOAD after 1000")
    }

    @Test("and a full one after it are all that the broker takes")
    func backPressure() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.batchMessages = 2
        let pipeline = try Pipeline(configuration)
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(show("B", 2), show("C", 3), show("D", 4))
        #expect(try broker.turnOnce() == false)
        try pipeline.complete()
        try pipeline.complete()
        #expect(try pipeline.journal.kinds() == [[.command], [.command, .command]])
        try pipeline.flow()
        #expect(broker.stats.popups == 4)
    }
}

@Suite("A committing thread")
struct CommitterThreadTests {
    @Test("commits one batch after another, gives their logs back, and wakes the loop")
    func batches() throws {
        let journal = FullableJournal()
        _ = try journal.open()
        let transport = InProcessTransport()
        let committer = try CommitterThread(journal, wake: transport.wake)
        for number in 1...100 as ClosedRange<UInt8> {
            var log = CommandLog()
            log.append(.command, [number].span.bytes)
            committer.begin(log, at: Int64(number))
            try transport.wait(milliseconds: 30_000)
            committer.wait()
            #expect(committer.isDone)
            let outcome = try #require(committer.takeOutcome())
            #expect(outcome.log.bytes == log.bytes)
            #expect(try outcome.result.get().sequence == UInt64(number))
            #expect(!committer.isDone && committer.takeOutcome() == nil)
        }
        committer.stop()
        #expect(journal.batches.count == 100)
    }

    @Test("tells what could not be committed")
    func failure() throws {
        let journal = FullableJournal()
        _ = try journal.open()
        journal.isFull = true
        let committer = try CommitterThread(journal) {}
        committer.begin(CommandLog(), at: 0)
        committer.wait()
        #expect(throws: FullableJournal.Full.self) { try committer.takeOutcome()?.result.get() }
        committer.stop()
    }
}

/// Notes what it is asked and told.
private final class Diary: BrokerPlugin {
    let name = "diary"
    private(set) var entries: [String] = []

    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        entries.append("asked \(command.command.show.id)")
    }

    func committed(_ outcome: CommittedBatch) {
        for command in outcome.commands { entries.append("told \(command.command.show.id)") }
    }
}
