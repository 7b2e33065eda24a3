import Dispatch
import Logging
import PopupAccess
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import SystemCalls
import Testing

@Suite("A broker whose journal other processes may own")
struct SharedJournalTests {
    /// Says the time, and whether it was ever asked for it before the journal was open.
    private final class Clock: BrokerClock {
        private struct Shared: @unchecked Sendable { let journal: FullableJournal }
        private let shared: Shared
        let wasEarly = Atomic<Bool>(false)

        init(_ journal: FullableJournal) { shared = Shared(journal: journal) }

        func now() -> Milliseconds {
            if !shared.journal.isOpen { wasEarly.store(true, ordering: .relaxed) }
            return shared.journal.isOpen ? 1000 : 0
        }

        func wallClockLead() -> Milliseconds {
            if !shared.journal.isOpen { wasEarly.store(true, ordering: .relaxed) }
            return 0
        }
    }

    @Test("reads its clock when the journal is open: before that, it may not know the time of the journal")
    func clock() throws {
        let journal = FullableJournal()
        let clock = Clock(journal)
        let broker = try Broker(
            transport: InProcessTransport(), journal: journal,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock)

        broker.stop()
        try broker.runOnThisThread()

        let wasEarly = clock.wasEarly.load(ordering: .relaxed)
        #expect(!wasEarly)
    }

    // MARK: - Policies

    private func policy(_ group: String, zone: String? = nil) -> WireSetPolicy {
        .with { policy in
            policy.group = group
            policy.higher = .stop
            if let zone {
                policy.quiet = [
                    .with {
                        $0.from = "22:00"
                        $0.to = "07:00"
                        $0.timeZone = zone
                    }
                ]
            }
        }
    }

    @Test("begins with the journal's policies if the configured ones are refused, and says so")
    func refusedPolicies() throws {
        let journal = FullableJournal()
        journal.commitWait = .network
        var configuration = BrokerConfiguration()
        configuration.policies = [policy("a")]
        try Harness(configuration, journal: journal).close()
        configuration.policies = [policy("b"), policy("c", zone: "Nowhere/At_All")]
        let log = LogLines()

        let broker = try Harness(configuration, journal: journal, subscriptions: ["replies+json/"], log: log)

        #expect(log.all.contains { $0.hasPrefix("critical the configured policies are refused") })
        try broker.send(#"{"query":{"client":"c","nonce":"1","policies":{}}}"#)
        let reply = try #require(try broker.received().last)
        #expect(reply.contains(#""group":"a""#) && !reply.contains(#""group":"b""#), "\(reply)")
        // A journal of its own: the operator sees it at once.
        #expect(throws: CommandRefusal.self) { try Harness(configuration, journal: MemoryJournal()) }
    }

    @Test("commits many policies in batches that an entry can hold")
    func manyPolicies() throws {
        let journal = FullableJournal()
        journal.commitWait = .network
        journal.preferredBatchBytes = 16 << 10
        journal.mostBytes = 18 << 10
        var configuration = BrokerConfiguration()
        configuration.policies = (0..<600).map { policy("group-with-a-long-name/that-is-one-of-many/\($0)") }
        let log = LogLines()

        let broker = try Harness(configuration, journal: journal, log: log)

        #expect(!log.all.contains { $0.hasPrefix("critical") }, "\(log.all)")
        #expect(journal.batches.count >= 3)
        #expect(broker.stats.limits.first { $0.limit == "limits.policies" }?.used == 600)
    }

    @Test("checks the number and the time zones of policies before it needs them")
    func check() throws {
        var configuration = BrokerConfiguration()
        configuration.scheduling.policies = 2
        configuration.policies = [policy("a"), policy("b"), policy("a")]
        try configuration.check()

        configuration.policies.append(policy("c"))
        let beyond = #expect(throws: CommandRefusal.self) { try configuration.check() }
        #expect(beyond?.detail.contains("`limits.policies`") == true)

        configuration.policies = [policy("a", zone: "Nowhere/At_All")]
        #expect(throws: CommandRefusal.self) { try configuration.check() }
    }

    // MARK: - Time

    @Test(
        "asks for a later limit when a timer is due soon; others that follow may not handle one of which nobody has told"
    )
    func reservation() throws {
        let pipeline = try Pipeline(subscriptions: ["events/"], isShared: true)
        let (broker, journal) = (pipeline.broker, pipeline.journal)
        journal.timeLimit = 3000
        try broker.send(
            #"{"show":{"id":"A","group":"a","durationMs":5000}}"#, #"{"show":{"id":"B","group":"b","durationMs":9000}}"#
        )
        try pipeline.flow()
        _ = try broker.receivedEvents()

        try broker.advance(to: 4000)
        #expect(journal.reservations == [.init(clock: 4000, handled: 4000)])
        // Another process may have this time now.
        journal.timeLimit = 7000
        try broker.advance(to: 6000)
        #expect(try broker.receivedEvents() == ["5000 a A closed timedOut after 5000ms"])

        // The machine pauses.
        try broker.jump(to: 20_000)
        #expect(journal.reservations.last == .init(clock: 20_000, handled: 8999))
        #expect(try broker.receivedEvents().isEmpty)
        journal.timeLimit = 23_000
        try broker.turn()
        #expect(try broker.receivedEvents().map { $0.hasSuffix("b B closed timedOut after 9000ms") } == [true])
    }

    // MARK: - Leases

    private static let lease = #"{"lease":{"client":"left","groups":["g"]}}"#

    /// A broker with the lease of one renderer, which has just ended; nothing is in flight.
    private func withEndedLease() throws -> Pipeline {
        let pipeline = try Pipeline(isShared: true)
        try pipeline.broker.send(Self.lease)
        try pipeline.flow()
        #expect(pipeline.broker.leasedPatterns.count == 1)
        pipeline.committer.isHolding = true
        try pipeline.broker.advance(to: Scheduler.leaseDuration)
        return pipeline
    }

    @Test("never waits for the end of a lease to be committed")
    func leaseEnd() throws {
        let pipeline = try withEndedLease()

        // Who waits lets the batch land.
        #expect(pipeline.committer.isHolding && pipeline.committer.isInFlight)
        #expect(pipeline.broker.leasedPatterns.count == 1)

        try pipeline.flow()
        #expect(pipeline.broker.leasedPatterns.isEmpty)
    }

    @Test("does not wait for another batch before the end of a lease either: it goes with the next one")
    func leaseEndBehindAnother() throws {
        let pipeline = try Pipeline(isShared: true)
        let broker = pipeline.broker
        try broker.send(Self.lease)
        try pipeline.flow()
        pipeline.committer.isHolding = true
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        try broker.send(#"{"show":{"id":"B","group":"g"}}"#)

        try broker.jump(to: Scheduler.leaseDuration)
        #expect(pipeline.committer.isHolding && pipeline.committer.isInFlight)
        try pipeline.complete()

        #expect(broker.stats.popups == 1)
        #expect(pipeline.committer.isInFlight)
        try pipeline.flow()
        #expect(broker.leasedPatterns.isEmpty && broker.stats.popups == 2)
        #expect(try pipeline.journal.kinds().last == [.command, .command])
    }

    @Test("tries the end of a lease again that was refused")
    func refusedLeaseEnd() throws {
        let pipeline = try withEndedLease()
        pipeline.journal.isFull = true
        try pipeline.flow()
        #expect(pipeline.broker.leasedPatterns.count == 1)

        pipeline.journal.isFull = false
        try pipeline.broker.advance(by: 1000)
        try pipeline.flow()

        #expect(pipeline.broker.leasedPatterns.isEmpty)
    }

    @Test("begins a lease anew that is renewed while its end is on its way")
    func renewedLease() throws {
        let pipeline = try withEndedLease()
        #expect(pipeline.committer.isInFlight)

        try pipeline.broker.send(Self.lease)
        try pipeline.flow()

        #expect(pipeline.broker.leasedPatterns.count == 1)
    }

    // MARK: - Standby

    /// The right to publish, which the test gives and takes away.
    private final class TestTenure: Tenure {
        private let state = Mutex(TenureStanding.awaited)
        private let wake = Mutex<(@Sendable () -> Void)?>(nil)

        var standing: TenureStanding {
            get { state.withLock { $0 } }
            set {
                state.withLock { $0 = newValue }
                wake.withLock { $0 }?()
            }
        }

        func notify(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }
    }

    private static func eventually(_ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try await !isSo() {
            try #require(ContinuousClock.now < end, "not within 120 s")
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Runs a standby, and then stops it.
    private func standby(
        _ configuration: BrokerConfiguration = BrokerConfiguration(), queues: InProcessTransport.Queues = .init(),
        journal: sending any Journal = MemoryJournal(), log: LogLines = LogLines(),
        supervisor: (any Supervisor)? = nil,
        _ body: (InProcessTransport, Broker, TestTenure) async throws -> Void
    ) async throws {
        let transport = InProcessTransport(queues: queues)
        let tenure = TestTenure()
        let broker = try Broker(
            configuration: configuration, transport: transport, journal: journal, logger: log.logger,
            supervisor: supervisor, tenure: tenure)
        let (ends, ending) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        // Not a task: those of other tests may use all threads for long.
        try DedicatedThread.start { ending.yield(Result { try broker.runOnThisThread() }) }
        defer { broker.stop() }
        try await body(transport, broker, tenure)
        broker.stop()
        for await end in ends { return try end.get() }
    }

    private static let show = WireCommand.with {
        $0.show = .with {
            $0.id = "A"
            $0.group = "g"
        }
    }

    /// Returns the topics of the messages until one has this prefix.
    private static func topics(_ client: InProcessClient, until prefix: String) async throws -> [String] {
        var topics: [String] = []
        try await eventually {
            while let message = client.receive() { topics.append(message.topic) }
            return topics.contains { $0.hasPrefix(prefix) }
        }
        return topics
    }

    @Test("takes subscriptions as a standby, and answers those that stay when its tenure begins")
    func subscriptionsOfStandby() async throws {
        var queues = InProcessTransport.Queues()
        queues.subscriptions = 4
        try await standby(queues: queues) { transport, broker, tenure in
            let client = transport.makeClient()
            for number in 0..<100 {
                try await Self.eventually { client.subscribe(to: "state/other/\(number)") }
                client.unsubscribe(from: "state/other/\(number)")
            }
            try await Self.eventually { client.subscribe(to: "sync/c/n1/*/") }

            tenure.standing = .held

            // Nothing was asked for since.
            #expect(try await Self.topics(client, until: "sync/c/n1/").allSatisfy { $0.hasPrefix("sync/") })
        }
    }

    @Test("cuts connections as a standby that subscribe to more than one may, and says so")
    func limitsOfStandby() async throws {
        var configuration = BrokerConfiguration()
        configuration.limits.subscriptionsPerConnection = 3
        let log = LogLines()
        try await standby(configuration, log: log) { transport, _, tenure in
            let greedy = transport.makeClient()
            let modest = transport.makeClient()
            for number in 0..<4 { greedy.subscribe(to: "state/\(number)/") }
            modest.subscribe(to: "sync/c/n1/*/")

            try await Self.eventually {
                log.all.contains {
                    $0.contains("connection cut off") && $0.contains("limits.subscriptionsPerConnection")
                }
            }

            tenure.standing = .held
            _ = try await Self.topics(modest, until: "sync/c/n1/")
            withExtendedLifetime(greedy) {}
        }
    }

    @Test("takes subscriptions while it is mute, and answers them when it is not any more")
    func subscriptionsOfMute() async throws {
        var queues = InProcessTransport.Queues()
        queues.subscriptions = 4
        try await standby(queues: queues) { transport, broker, tenure in
            let client = transport.makeClient()
            tenure.standing = .held
            try await broker.perform(Self.show)
            tenure.standing = .unconfirmed
            for number in 0..<50 {
                try await Self.eventually { client.subscribe(to: "state/other/\(number)") }
                client.unsubscribe(from: "state/other/\(number)")
            }
            try await Self.eventually { client.subscribe(to: "state/g/") }

            tenure.standing = .held

            _ = try await Self.topics(client, until: "state/g/")
        }
    }

    // MARK: - A network that is cut

    /// The way to the other machines, which the test cuts and mends.
    private final class Network: Sendable {
        private let isCut = Atomic<Bool>(false)
        private let mended = DispatchSemaphore(value: 0)
        private let waiting = Atomic<Bool>(false)

        /// Whether a batch waits for it.
        var hasWaiting: Bool { waiting.load(ordering: .acquiring) }

        func cut() { isCut.store(true, ordering: .releasing) }

        func mend() {
            isCut.store(false, ordering: .releasing)
            mended.signal()
        }

        func pass() {
            guard isCut.load(ordering: .acquiring) else { return }
            waiting.store(true, ordering: .releasing)
            mended.wait()
        }
    }

    /// A journal on other machines.
    private final class NetworkJournal: Journal {
        private let network: Network
        private let journal = MemoryJournal()

        init(_ network: Network) { self.network = network }

        var commitWait: CommitWait { .network }
        func open() throws -> JournalOpening { try journal.open() }
        func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
            try journal.replay(from: sequence, body)
        }
        func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
            network.pass()
            return try journal.append(commands, at: time)
        }
        func close() throws { try journal.close() }
    }

    private final class CountingSupervisor: Supervisor {
        let turnInterval: Int64? = nil
        private let count = Atomic<Int>(0)

        var turns: Int { count.load(ordering: .relaxed) }
        func recordRecovery() {}
        func recordTurn() { count.add(1, ordering: .relaxed) }
    }

    @Test("goes on while the network is cut, although the next batch is full: it takes subscriptions, and can be mute")
    func fullBatch() async throws {
        var configuration = BrokerConfiguration()
        configuration.limits.batchMessages = 2
        let network = Network()
        // If the loop waits for the network, it must not do so for ever.
        defer { network.mend() }
        let supervisor = CountingSupervisor()
        try await standby(configuration, journal: NetworkJournal(network), supervisor: supervisor) {
            transport, broker, tenure in
            tenure.standing = .held
            try await broker.perform(Self.show)
            network.cut()
            let producer = transport.makeClient()
            for id in ["B", "C", "D", "E"] {
                let command = WireCommand.with {
                    $0.show.id = id
                    $0.show.group = "g"
                }
                producer.send(try command.serializedBytes())
            }
            try await Self.eventually { network.hasWaiting }

            // One batch waits for the network, and the next one is full after a few turns.
            let turns = supervisor.turns
            try await Self.eventually { supervisor.turns >= turns + 20 }
            let screen = transport.makeClient()
            screen.subscribe(to: "state/g/")
            _ = try await Self.topics(screen, until: "state/g/")
            tenure.standing = .unconfirmed
            let before = supervisor.turns
            try await Self.eventually { supervisor.turns >= before + 20 }

            tenure.standing = .held
            network.mend()
            try await broker.perform(Self.dismissal(of: "B"))
        }
    }

    private static func dismissal(of id: String) -> WireCommand { .with { $0.dismiss.id = id } }
}
