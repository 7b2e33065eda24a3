import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import Testing

@Suite("A call to a broker with a shared journal")
struct SharedCallTests {
    /// What the callers were told, in order.
    private final class Outcomes: Sendable {
        private let told = Mutex<[String]>([])

        var all: [String] { told.withLock { $0 } }

        func ofCall(_ name: String) -> PendingCalls.Completion {
            { refusal in self.told.withLock { $0.append("\(name) \(refusal?.reason.name ?? "done")") } }
        }

        func ofReload(_ name: String = "reload") -> Reload.Completion {
            { result in
                self.told.withLock { told in
                    switch result {
                    case .success: told.append("\(name) done")
                    case .failure(let refusal as CommandRefusal): told.append("\(name) \(refusal.reason.name)")
                    case .failure(let error): told.append("\(name) \(error)")
                    }
                }
            }
        }
    }

    private let outcomes = Outcomes()

    private func show(_ id: String, in group: String = "g") -> WireCommand {
        .with {
            $0.show = .with {
                $0.id = id
                $0.group = group
            }
        }
    }

    private func policy(_ group: String) -> WireSetPolicy {
        .with {
            $0.group = group
            $0.higher = .stop
        }
    }

    /// A configuration with policies of these groups, by which popups that name no duration end after 10 ms.
    private func configuration(_ groups: String...) -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.policies = groups.map { policy($0) }
        configuration.defaults = [
            .with {
                $0.group = "*"
                $0.durationMs = 10
            }
        ]
        return configuration
    }

    /// Whether the batch in flight is held: a loop that waited for it would complete it.
    private func isHeld(_ pipeline: Pipeline) -> Bool { pipeline.committer.isHolding && pipeline.committer.isInFlight }

    /// The topics that a screen receives that connects now.
    private func topicsOfNewScreen(_ broker: Harness) throws -> [String] {
        let screen = broker.makeClient()
        screen.subscribe(to: "state/known/")
        try broker.turn()
        return broker.receivedMessages(of: screen).map(\.topic)
    }

    /// A broker that shows a popup in the group `known`; the next batch is held.
    private func withKnownGroup(
        _ configuration: BrokerConfiguration = BrokerConfiguration(), subscriptions: [String] = [],
        batchBytes: Int? = nil
    ) throws -> Pipeline {
        let pipeline = try Pipeline(
            configuration, subscriptions: subscriptions, isShared: true, batchBytes: batchBytes)
        try pipeline.broker.send(show("known", in: "known"))
        try pipeline.flow()
        pipeline.committer.isHolding = true
        _ = try pipeline.broker.received()
        return pipeline
    }

    // MARK: - Commands

    @Test("is answered when its batch is completed; meanwhile, queries are answered and subscriptions taken")
    func call() throws {
        let pipeline = try withKnownGroup(subscriptions: ["replies+json/"])
        let broker = pipeline.broker

        try broker.call(show("A"), outcomes.ofCall("A"))
        try broker.turn()

        #expect(isHeld(pipeline))
        try broker.send(#"{"query":{"client":"c","nonce":"1","policies":{}}}"#)
        #expect(try broker.received().map { $0.hasPrefix("replies+json/c/1/") } == [true])
        #expect(try topicsOfNewScreen(broker) == ["state/known/"])
        #expect(outcomes.all.isEmpty)
        #expect(isHeld(pipeline))

        try pipeline.complete()
        #expect(outcomes.all == ["A done"])
        #expect(broker.stats.popups == 2)
    }

    @Test("takes effect after what was received before it, and before what is received later")
    func order() throws {
        let pipeline = try withKnownGroup(subscriptions: ["events/"])
        let broker = pipeline.broker
        try broker.send(show("A"))

        try broker.call(show("B"), outcomes.ofCall("B"))
        try broker.send(show("C"))
        try broker.call(show("D"), outcomes.ofCall("D"))
        try broker.turn()
        try pipeline.complete()
        #expect(outcomes.all.isEmpty)
        try pipeline.flow()

        #expect(outcomes.all == ["B done", "D done"])
        #expect(try broker.receivedEvents() == ["0 g A shown 1", "0 g B queued", "0 g C queued", "0 g D queued"])
        #expect(try pipeline.journal.kinds().suffix(2) == [[.command], [.command, .command, .command]])
    }

    @Test("is refused with its batch, and a repetition of it with the same one")
    func refused() throws {
        let pipeline = try withKnownGroup()
        let broker = pipeline.broker
        var numbered = show("A")
        numbered.producer = alice
        numbered.sequence = 1
        pipeline.journal.isFull = true

        try broker.call(numbered, outcomes.ofCall("first"))
        try broker.turn()
        // In the next batch, while the first one is in flight.
        try broker.call(numbered, outcomes.ofCall("second"))
        try broker.turn()
        #expect(outcomes.all.isEmpty)
        try pipeline.flow()
        #expect(outcomes.all == ["first OVERLOAD", "second OVERLOAD"])

        pipeline.journal.isFull = false
        pipeline.committer.isHolding = true
        try broker.call(numbered, outcomes.ofCall("third"))
        try broker.call(numbered, outcomes.ofCall("fourth"))
        try broker.turn()
        #expect(outcomes.all.count == 2)
        try pipeline.flow()
        #expect(outcomes.all.suffix(2) == ["third done", "fourth done"])
        #expect(broker.stats.popups == 2)
    }

    @Test("is answered at once if it asks for something")
    func query() throws {
        let pipeline = try withKnownGroup(subscriptions: ["replies+json/"])
        let broker = pipeline.broker
        try broker.send(show("A"))
        #expect(isHeld(pipeline))

        let query = try Ingress.command(json: Array(#"{"query":{"client":"c","nonce":"1","policies":{}}}"#.utf8))
        try broker.call(query, outcomes.ofCall("query"))
        try broker.turn()

        #expect(outcomes.all == ["query done"])
        #expect(try broker.received().count == 1)
        #expect(isHeld(pipeline))
    }

    @Test("waits for a batch with room, which it shares with messages; beyond the limit it is refused")
    func manyCalls() throws {
        var limited = BrokerConfiguration()
        limited.limits.batchMessages = 4
        limited.limits.pendingCalls = 5
        let pipeline = try withKnownGroup(limited, subscriptions: ["events/"])
        let broker = pipeline.broker

        for number in 1...6 { try broker.call(show("\(number)"), outcomes.ofCall("\(number)")) }
        #expect(outcomes.all == ["6 OVERLOAD"])
        for id in ["a", "b", "c"] { broker.client.send(try show(id).serializedBytes()) }
        try broker.turn()
        try pipeline.flow()

        #expect(outcomes.all == ["6 OVERLOAD", "1 done", "2 done", "3 done", "4 done", "5 done"])
        let popups = try broker.receivedEvents().map { $0.split(separator: " ")[2] }
        #expect(popups == ["1", "2", "a", "b", "3", "4", "c", "5"])
    }

    @Test("leaves half of a batch to messages, however many calls wait")
    func callsBesideMessages() throws {
        let pipeline = try withKnownGroup(subscriptions: ["events/"])
        let broker = pipeline.broker

        for number in 1...600 { try broker.call(show("\(number)"), outcomes.ofCall("\(number)")) }
        broker.client.send(try show("a").serializedBytes())
        try broker.turn()
        try pipeline.complete()

        let popups = try broker.receivedEvents().map { $0.split(separator: " ")[2] }
        #expect((popups.count, popups.last) == (pipeline.journal.preferredBatch / 2 + 1, "a"))
        try pipeline.flow()
        #expect(outcomes.all.count == 600)
    }

    // MARK: - Reloads

    @Test("for a reload brings the configuration into force when its policies are committed, and reads nothing before")
    func reload() throws {
        let pipeline = try withKnownGroup(subscriptions: ["events/"])
        let broker = pipeline.broker

        broker.reload(configuration("g"), outcomes.ofReload())
        try broker.turn()

        #expect(isHeld(pipeline))
        try broker.send(show("A"))
        #expect(try topicsOfNewScreen(broker) == ["state/known/"])
        #expect(outcomes.all.isEmpty)
        #expect(isHeld(pipeline))

        try pipeline.complete()
        try broker.turn()
        #expect(outcomes.all == ["reload done"])
        // It was read after that.
        #expect(isHeld(pipeline))
        try pipeline.flow()
        try broker.advance(to: 10)
        #expect(try broker.receivedEvents() == ["0 g A shown 1", "10 g A closed timedOut after 10ms"])
        #expect(try pipeline.journal.kinds().suffix(2) == [[.configuredPolicy], [.command]])
    }

    @Test("comes between reloads in order: each has effect on what comes after it, and on nothing before")
    func orderOfReload() throws {
        let pipeline = try withKnownGroup(subscriptions: ["events/"])
        let broker = pipeline.broker

        try broker.call(show("A", in: "a"), outcomes.ofCall("A"))
        broker.reload(configuration("g"), outcomes.ofReload("first"))
        try broker.call(show("B", in: "b"), outcomes.ofCall("B"))
        broker.reload(BrokerConfiguration(), outcomes.ofReload("second"))
        try broker.call(show("C", in: "c"), outcomes.ofCall("C"))
        try broker.turn()
        #expect(outcomes.all.isEmpty)
        try pipeline.flow()
        try broker.advance(to: 10)
        try pipeline.flow()

        #expect(outcomes.all == ["A done", "first done", "B done", "second done", "C done"])
        #expect(
            try broker.receivedEvents() == [
                "0 a A shown 1", "0 b B shown 1", "0 c C shown 1", "10 b B closed timedOut after 10ms",
            ])
        #expect(
            try pipeline.journal.kinds().suffix(5) == [
                [.command], [.configuredPolicy], [.command], [.removedPolicy], [.command],
            ])
    }

    @Test("has many policies committed in batches that an entry can hold, and is answered after the last one")
    func manyPolicies() throws {
        let pipeline = try withKnownGroup(batchBytes: 1 << 10)
        let broker = pipeline.broker
        var many = BrokerConfiguration()
        many.policies = (0..<100).map { policy("group-with-a-long-name/that-is-one-of-many/\($0)") }
        let before = pipeline.journal.batches.count

        broker.reload(many, outcomes.ofReload())
        try broker.turn()
        while isHeld(pipeline) {
            #expect(outcomes.all.isEmpty)
            try pipeline.complete()
            try broker.turn()
        }

        #expect(outcomes.all == ["reload done"])
        #expect(pipeline.journal.batches.count >= before + 5)
        #expect(pipeline.journal.batches.allSatisfy { $0.count < 2 << 10 })
        #expect(broker.stats.limits.first { $0.limit == "limits.policies" }?.used == 100)
    }

    @Test("for policies that cannot be committed is refused, and the configuration before stays in force")
    func refusedReload() throws {
        let pipeline = try withKnownGroup(subscriptions: ["events/"])
        let broker = pipeline.broker
        pipeline.journal.isFull = true
        broker.reload(configuration("g"), outcomes.ofReload())
        try broker.turn()
        #expect(outcomes.all.isEmpty)
        try pipeline.flow()
        #expect(outcomes.all == ["reload OVERLOAD"])
        _ = try broker.receivedEvents()

        pipeline.journal.isFull = false
        try broker.send(show("A"))
        try pipeline.flow()
        try broker.advance(to: 10)

        #expect(try broker.receivedEvents() == ["0 g A shown 1"])
        #expect(broker.stats.limits.first { $0.limit == "limits.policies" }?.used == 0)
    }

    @Test("for a configuration with a mistake is refused, and changes nothing")
    func invalidReload() throws {
        var limited = BrokerConfiguration()
        limited.scheduling.policies = 2
        let pipeline = try withKnownGroup(limited, subscriptions: ["events/"])
        let broker = pipeline.broker
        var invalid = configuration("g")
        invalid.defaults[0].group = "a b"

        broker.reload(configuration("no group"), outcomes.ofReload("policy"))
        broker.reload(invalid, outcomes.ofReload("defaults"))
        broker.reload(configuration("a", "b", "c"), outcomes.ofReload("number"))
        try broker.turn()
        #expect(outcomes.all == ["policy INVALID", "defaults INVALID", "number OVERLOAD"])
        try broker.send(show("A"))
        try pipeline.flow()
        try broker.advance(to: 10)

        #expect(try broker.receivedEvents() == ["0 g A shown 1"])
        #expect(try pipeline.journal.kinds().last == [.command])
    }

    @Test("for a configuration without other policies comes into force without a commit")
    func samePolicies() throws {
        let pipeline = try withKnownGroup()
        let batches = pipeline.journal.batches.count

        pipeline.broker.reload(configuration(), outcomes.ofReload())
        try pipeline.broker.turn()

        #expect(outcomes.all == ["reload done"])
        #expect(pipeline.journal.batches.count == batches && !pipeline.committer.isInFlight)
    }

    // MARK: - The end

    @Test("is answered when the broker stops: with its outcome")
    func end() throws {
        let pipeline = try withKnownGroup()
        let broker = pipeline.broker
        try broker.call(show("A"), outcomes.ofCall("A"))
        try broker.turn()
        #expect(isHeld(pipeline))
        broker.reload(configuration("g"), outcomes.ofReload())
        try broker.call(show("B"), outcomes.ofCall("B"))

        try broker.close()

        #expect(outcomes.all == ["A done", "reload done", "B done"])
        #expect(try pipeline.journal.kinds().suffix(3) == [[.command], [.configuredPolicy], [.command]])
    }

    @Test("is answered when the broker fails while it waits")
    func failure() throws {
        /// The right to publish, which another process has after some turns.
        final class Lost: Tenure {
            private let turns = Atomic<Int>(0)
            var standing: TenureStanding {
                turns.add(1, ordering: .relaxed).newValue < 3 ? .held : .lost
            }
            func notify(_ wake: @escaping @Sendable () -> Void) {}
        }
        let transport = InProcessTransport()
        let journal = FullableJournal()
        journal.commitWait = .network
        let committer = NeverCommitter(journal)
        let loop = try BrokerLoop.start(
            configuration: BrokerConfiguration(), timeZones: LoadedTimeZones(.system), transport: transport,
            journal: journal, plugins: [], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            committer: committer, at: 0)
        let mailbox = BrokerMailbox(capacity: 10, wake: transport.wake)
        try mailbox.add(.command(show("A"), outcomes.ofCall("A")))
        try mailbox.add(.reconfigure(configuration("g"), LoadedTimeZones(.system), outcomes.ofReload()))
        try mailbox.add(.command(show("B"), outcomes.ofCall("B")))
        var runner = LoopRunner(
            loop: loop, transport: transport, mailbox: mailbox, clock: SystemClock(), tenure: Lost())

        #expect(throws: JournalLost.self) { try runner.run() }

        #expect(outcomes.all.sorted() == ["A OVERLOAD", "B OVERLOAD", "reload OVERLOAD"])
    }

    /// Takes batches, and never says what becomes of them.
    private final class NeverCommitter: Committer {
        let leastEntries = 1
        let isDone = false
        private let journal: any Journal

        init(_ journal: any Journal) { self.journal = journal }

        func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
            try Commit(log, to: journal, at: time)
        }

        func begin(_ log: consuming CommandLog, at time: Milliseconds) {}
        func takeOutcome() -> CommitOutcome? { nil }
        func wait() {}
        func wait(milliseconds: Int) {}
        func stop() {}
    }
}
