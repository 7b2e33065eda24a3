import FleetState
import FleetTrial
import PopupFleet
import PopupJournal
import Synchronization
import Testing

@testable import FleetService

/// The sentences for operators.
private final class Reports: Sendable {
    private let sentences = Mutex<[String]>([])

    var all: [String] { sentences.withLock { $0 } }

    func count(_ part: String) -> Int { all.count { $0.contains(part) } }

    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}

/// What a running node makes of the answers of its log.
@Suite(.timeLimit(.minutes(10))) struct FleetRunnerTests {
    private let clocks = Clocks()

    private func runner(
        _ log: ScriptedLog, _ reports: Reports = Reports(), _ proof: TenureProof? = nil
    ) -> FleetRunner<NumberMachine> {
        FleetRunner(
            LogOwner(high: 1, low: 1), rank: 0, log: log, proof: proof, moment: { [clocks] in clocks.moment() },
            report: { reports.add($0) })
    }

    private func batch(_ number: UInt64) -> [UInt8] {
        NumberMachine.bytes(of: [NumberMachine.Command(number: number, delay: 10)])
    }

    @Test func `a batch that is larger than an entry may be is refused, and the next one is in`() async throws {
        let log = ScriptedLog()
        let runner = runner(log)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }

        #expect(runner.maxBatchBytes == 1000 - 48)
        #expect(await runner.append([UInt8](repeating: 0, count: 1000 - 48 + 1)) == .tooLarge)
        let beside = FleetRunner<BrokerReplica>(LogOwner(high: 1, low: 1), rank: 0, log: log)
        #expect(FleetJournal(beside, TenureProof(), TenureBeginning()).maxBatchBytes == 952)
        #expect(await runner.append(batch(1)) == .committed(index: 2))

        await runner.handOver()
        #expect(await running.value == .handedOver)
        #expect(log.with { $0.entries.map(\.commands) } == [[], batch(1)])
    }

    @Test func `a proof of the tenure that ends right after the question leaves nobody waiting`() async throws {
        let log = ScriptedLog()
        let runner = runner(log)
        let running = Task { await runner.run() }
        for number in 1...20 as ClosedRange<UInt64> {
            try await eventually { await runner.canAppend }
            clocks.advance(byAfterNextRead: 10_000)
            switch await runner.append(batch(number)) {
            case .committed, .notTaken: break
            case let other: Issue.record("\(other)")
            }
        }

        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `a batch whose node ends before it knows has an unknown outcome`() async throws {
        let log = ScriptedLog()
        let runner = runner(log)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        log.with { $0.script = .forgetsWrites }
        async let outcome = runner.append(batch(1))
        try await eventually { log.with { $0.writes > 2 } }

        log.with {
            $0.takeOver(by: LogOwner(high: 2, low: 2))
            $0.script = .works
        }

        #expect(await outcome == .unknown)
        #expect(await running.value == .overtaken)
    }

    @Test func `operators are told of a tenure that begins, of an owner that becomes mute, and when it goes on`()
        async throws
    {
        let (log, reports) = (ScriptedLog(), Reports())
        let runner = runner(log, reports)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        #expect(reports.all == ["this node owns the shard now: epoch 5000, from entry 1 on"])
        log.with { $0.script = .silent }

        clocks.advance(by: 3500)
        try await eventually { reports.count("is mute: etcd does not confirm") == 1 }
        log.with { $0.script = .works }

        try await eventually { reports.count("is no longer mute, epoch 5000, after") == 1 }
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `a configuration is told when it changes, and again when operators set it again`() async throws {
        let log = ScriptedLog()
        let runner = runner(log)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        var told = runner.requests.makeAsyncIterator()
        // The first orders report the configuration, also that there is none.
        #expect(await told.next() == .configure(nil))

        log.with { $0.orders.configuration = [1] }
        log.hint(.ordersChanged)
        #expect(await told.next() == .configure([1]))
        log.hint(.ordersChanged)
        #expect(await told.next() == .configure([1]))
        log.with { $0.orders.configuration = [2] }
        log.hint(.ordersChanged)
        // Once, although it has changed and was set.
        #expect(await told.next() == .configure([2]))
        log.with { $0.orders.configuration = [3] }
        log.hint(.ordersChanged)
        #expect(await told.next() == .configure([3]))

        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `what the log says without an outcome is told at once, and then every 10 s`() async throws {
        let (log, reports) = (ScriptedLog(script: .silent), Reports())
        let runner = runner(log, reports)
        let running = Task { await runner.run() }
        try await eventually { reports.count("silent") == 1 }
        let asked = log.with { $0.questions }

        clocks.advance(by: 9999)
        try await eventually { log.with { $0.questions } > asked + 5 }
        #expect(reports.count("silent") == 1)
        clocks.advance(by: 1)

        try await eventually { reports.count("silent") == 2 }
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `what the log did not answer is not told when it answers again`() async throws {
        let (log, reports) = (ScriptedLog(script: .silent), Reports())
        let runner = runner(log, reports)
        let running = Task { await runner.run() }
        try await eventually { reports.count("silent") == 1 }
        let asked = log.with { $0.questions }
        // Another one has no outcome, and is not told yet.
        try await eventually { log.with { $0.questions } > asked + 2 }
        log.with { $0.script = .works }
        try await eventually { await runner.canAppend }

        clocks.advance(by: 10_000)

        // What is told in the same turn shows that there was one.
        try await eventually { reports.count("is mute") == 1 }
        await runner.handOver()
        #expect(await running.value == .handedOver)
        #expect(reports.count("silent") == 1)
    }

    @Test func `operators are told of a damaged snapshot that is passed over, once`() async throws {
        let (log, reports) = (ScriptedLog(), Reports())
        let state = NumberMachine().snapshot()
        log.with {
            let entry = LogEntry(.batch, epoch: 1, index: 2, time: 1000, horizon: 1000, chain: 0)
            $0.snapshots[1] = LogSnapshot(index: 1, epoch: 1, time: 1000, chain: 0, state: state)
            $0.torn = [2]
            $0.entries = [entry]
            ($0.head.index, $0.head.chain) = (2, entry.chainAfter)
        }
        let runner = runner(log, reports)
        let running = Task { await runner.run() }

        try await eventually { await runner.canAppend }

        #expect(reports.count("the newest snapshot cannot be read, so this node goes on from the one of entry 1") == 1)
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `a node whose state is not that of a snapshot in the log ends, and says so once`() async throws {
        let (log, reports) = (ScriptedLog(), Reports())
        log.with {
            $0.snapshots[2] = LogSnapshot(
                index: 2, epoch: 1, time: 1000, chain: 0, state: [1, 2, 3], rules: NumberMachine.rulesVersion)
        }
        let runner = FleetRunner<NumberMachine>(
            LogOwner(high: 1, low: 1), rank: 0, log: log, snapshotEntries: 2,
            moment: { [clocks] in clocks.moment() }, report: { reports.add($0) })
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }

        // It is in the log, and the node ends after it, when no standby has compared its own.
        _ = await runner.append(batch(1))
        clocks.advance(by: FleetTiming().ownerSnapshotDelay)

        #expect(await running.value == .replicaDiffers)
        #expect(reports.count("after entry 2 is not that of the snapshot which another node") == 1)
        #expect(log.with { $0.snapshots[2]?.state } == [1, 2, 3])
    }

    @Test func `a pause of the whole process is no hang of its broker; a loop that stands still is one`()
        async throws
    {
        let (log, reports) = (ScriptedLog(), Reports())
        let proof = TenureProof(moment: { [clocks] in clocks.moment() })
        let runner = runner(log, reports, proof)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        // A loop that has nothing to do turns when it is woken.
        proof.notify { [weak proof] in proof?.recordTurn() }
        proof.recordTurn()

        // Longer than a loop may stand still, and less than a proof lasts.
        clocks.advance(by: 2500)

        try await eventually { proof.lastTurn(at: 0, wakingAfter: .max) == 2500 }
        #expect(await !runner.gauges.isHanging)
        #expect(reports.count("is mute") == 0)
        proof.notify {}
        while reports.count("is mute: the broker's loop stands still") == 0 {
            clocks.advance(by: 50)
            try await Task.sleep(for: .milliseconds(20))
        }
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `a take-over that is refused without another head is repeated with pauses`() async throws {
        let log = ScriptedLog(script: .refusesWrites)
        let runner = runner(log)
        let began = ContinuousClock.now
        let running = Task { await runner.run() }
        try await eventually { log.with { $0.writes >= 4 } }

        #expect(ContinuousClock.now - began >= .milliseconds(300))

        log.with { $0.script = .works }
        try await eventually { await runner.canAppend }
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test(arguments: [(2000, 1400, true), (2000, 1600, false), (4000, 2900, true), (4000, 3100, false)])
    func `an owner is mute after three quarters of its log's lease`(
        lease: Int64, silence: Int64, speaks: Bool
    ) async throws {
        let log = ScriptedLog(lease: lease)
        let runner = runner(log)
        let running = Task { await runner.run() }
        try await eventually { await runner.words != nil }
        log.with { $0.script = .silent }

        clocks.advance(by: silence)

        #expect(await (runner.words != nil) == speaks)
        log.with { $0.script = .works }
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }
}
