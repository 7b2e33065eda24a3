import Dispatch
import FleetState
import PopupBroker
import PopupFleet
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization
import Testing

@testable import FleetService

/// Brokers that own a shared log, one after another.
@Suite(.timeLimit(.minutes(10))) struct BrokerTenureTests {
    /// A node, and its broker if it owns the log.
    private final class Node: Sendable {
        let runner: FleetRunner<BrokerReplica>
        let proof = TenureProof()

        init(_ number: UInt64, _ log: ScriptedLog, snapshotEntries: Int = 20_000) {
            runner = FleetRunner(
                LogOwner(high: number, low: number), rank: 0, log: log, snapshotEntries: snapshotEntries, proof: proof)
        }

        /// Runs until the node ends. Calls `body` with a client of its broker when that is ready, and then stops it.
        func run(
            hold: Hold? = nil, _ body: @escaping @Sendable (InProcessClient, Broker) async throws -> Void
        ) async throws -> FleetEnd {
            async let end = runner.run()
            let start = try #require(await runner.tenure())
            let beginning = TenureBeginning()
            beginning.set(start)
            let transport = InProcessTransport()
            let client = transport.makeClient()
            let broker = try Broker(
                transport: transport, journal: FleetJournal(runner, proof, beginning), plugins: hold.map { [$0] } ?? [],
                clock: TenureTime(beginning), tenure: proof)
            async let running: Void = broker.run()
            try await body(client, broker)
            broker.stop()
            do { try await running } catch is JournalLost {}
            return await end
        }
    }

    /// A plugin that holds the broker's loop when a popup of a name comes, until it is released.
    private final class Hold: BrokerPlugin, Sendable {
        let name = "hold"
        private let isReleased = DispatchSemaphore(value: 0)
        private let holds = Mutex(false)

        /// Whether the loop is held.
        var isHolding: Bool { holds.withLock { $0 } }

        func release() { isReleased.signal() }

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            guard command.command.show.id == "held" else { return }
            holds.withLock { $0 = true }
            isReleased.wait()
            holds.withLock { $0 = false }
        }
    }

    private let log = ScriptedLog(maxEntryBytes: 1 << 20)

    private static func show(_ id: String, milliseconds: UInt32) -> WireCommand {
        .with {
            $0.show = .with {
                $0.id = id
                $0.group = "lobby"
                $0.text = "text"
                $0.durationMs = milliseconds
            }
        }
    }

    /// Returns the next message; `nil` if none comes within a time. It blocks no thread of the node.
    private static func next(
        _ client: InProcessClient, within time: Duration = .seconds(120)
    ) async -> InProcessClient.Message? {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if let message = client.receive() { return message }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    /// Returns the ids that a group shows, in the order of its states, until one is `last`.
    private static func shown(_ client: InProcessClient, until last: String) async -> [String] {
        var ids: [String] = []
        while ids.last != last, let message = await next(client) {
            guard let state = try? WireEncoding.json.decode(message.body, as: WireGroupState.self) else { continue }
            if ids.last != state.active.id { ids.append(state.active.id) }
        }
        return ids
    }

    @Test func `a broker hands its popups over to the next one, in a greater epoch`() async throws {
        let first = try await Node(1, log).run { client, broker in
            client.subscribe(to: "state+json/lobby/")
            try await broker.perform(Self.show("A", milliseconds: 600_000))
            try await broker.perform(Self.show("B", milliseconds: 600_000))
            #expect(await Self.shown(client, until: "A").last == "A")
        }
        #expect(first == .handedOver)
        let before = log.with { $0.head }
        log.with { $0.claim = nil }

        let second = try await Node(2, log).run { client, broker in
            client.subscribe(to: "state+json/lobby/")
            #expect(await Self.shown(client, until: "A") == ["A"])
            try await broker.perform(.with { $0.dismiss = .with { $0.id = "A" } })
            #expect(await Self.shown(client, until: "B").last == "B")
        }

        #expect(second == .handedOver)
        #expect(log.with { $0.head.epoch } > before.epoch)
        var check = LogCheck(nil)
        for entry in log.with({ $0.entries }) { #expect(check.follow(entry) == nil) }
    }

    @Test func `a broker goes on from a snapshot of a log whose entries were removed`() async throws {
        _ = try await Node(1, log, snapshotEntries: 2).run { [log] _, broker in
            for id in ["A", "B", "C"] { try await broker.perform(Self.show(id, milliseconds: 600_000)) }
            // An owner makes one when no standby has.
            try await eventually { log.with { !$0.snapshots.isEmpty } }
        }
        let kept = try #require(
            log.with { content -> UInt64? in
                guard let newest = content.snapshots.keys.max() else { return nil }
                content.entries.removeAll { $0.index <= newest }
                content.claim = nil
                return newest
            })
        #expect(kept == 2)

        let end = try await Node(2, log).run { client, broker in
            client.subscribe(to: "state+json/lobby/")
            #expect(await Self.shown(client, until: "A") == ["A"])
            // What was shown once is known.
            await #expect(throws: CommandRefusal.self) {
                try await broker.perform(.with { $0.update = .with { $0.id = "never" } })
            }
            try await broker.perform(.with { $0.dismiss = .with { $0.id = "A" } })
            #expect(await Self.shown(client, until: "B").last == "B")
        }

        #expect(end == .handedOver)
    }

    @Test func `a broker goes on from the older snapshot of a log if the newest is damaged`() async throws {
        _ = try await Node(1, log, snapshotEntries: 2).run { [log] _, broker in
            var number = 0
            while log.with({ $0.snapshots.count }) < 3 {
                try await broker.perform(Self.show("P\(number)", milliseconds: 600_000))
                number += 1
            }
        }
        log.with { content in
            let kept = content.snapshots.keys.sorted().suffix(2)
            content.snapshots[kept.last!] = nil
            content.torn = [kept.last!]
            content.entries.removeAll { $0.index <= kept.first! }
            content.claim = nil
        }

        let end = try await Node(2, log).run { client, _ in
            client.subscribe(to: "state+json/lobby/")
            #expect(await Self.shown(client, until: "P0") == ["P0"])
        }

        #expect(end == .handedOver)
    }

    @Test func `a broker that hangs loses its proof, and has one again in the same epoch when it goes on`()
        async throws
    {
        let (node, hold) = (Node(1, log), Hold())
        let end = try await node.run(hold: hold) { _, broker in
            try await broker.perform(Self.show("A", milliseconds: 600_000))
            func lastTurn() -> Int64? { node.proof.lastTurn(at: 0, wakingAfter: .max) }
            let first = try #require(lastTurn())
            // An idle broker is no hanging one: it is woken to turn.
            try await eventually { lastTurn().map { $0 > first + 1000 } == true }
            let epoch = await node.runner.gauges.epoch
            async let held: Void = broker.perform(Self.show("held", milliseconds: 600_000))
            try await eventually { hold.isHolding }

            try await eventually { await node.runner.gauges.isHanging }

            #expect(await !node.runner.gauges.isConfirmed)
            #expect(node.proof.standing == .unconfirmed)
            hold.release()
            try await held
            try await eventually { await node.runner.gauges.isConfirmed }
            #expect(await node.runner.gauges.epoch == epoch)
        }
        #expect(end == .handedOver)
    }

    @Test func `a node whose broker hangs ends when another one has taken over, although the broker does not`()
        async throws
    {
        let (node, hold) = (Node(1, log), Hold())
        let end = try await node.run(hold: hold) { [log] _, broker in
            let held = Task { try await broker.perform(Self.show("held", milliseconds: 600_000)) }
            try await eventually { hold.isHolding }
            try await eventually { await node.runner.gauges.isHanging }
            log.with { $0.takeOver(by: LogOwner(high: 9, low: 9)) }

            try await eventually { await node.runner.role == .ended(.overtaken) }

            #expect(hold.isHolding)
            #expect(node.proof.standing == .lost)
            hold.release()
            await #expect(throws: (any Error).self) { try await held.value }
        }
        #expect(end == .overtaken)
    }

    @Test func `leases that end together are one entry`() async throws {
        _ = try await Node(1, log).run { _, broker in
            for number in 0..<50 {
                try await broker.perform(
                    .with {
                        $0.lease = .with {
                            $0.client = "renderer-\(number)"
                            $0.groups = ["lobby"]
                        }
                    })
            }
        }
        log.with { $0.claim = nil }

        // The next owner holds all of them from the same moment.
        _ = try await Node(2, log).run { [log] _, broker in
            try await broker.perform(Self.show("A", milliseconds: 600_000))
            let before = log.with { $0.entries.count }
            let end = ContinuousClock.now + .seconds(120)
            while log.with({ $0.entries.count }) == before, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            // A command after it shows that nothing else came in between.
            try await broker.perform(.with { $0.dismiss = .with { $0.id = "A" } })
            let ends = log.with { Array($0.entries[before...]) }
            #expect(try ends.map { try CommandLog.entries(in: $0.commands).count } == [50, 1])
        }
    }

    @Test func `timers end at their time without batches: the horizon is moved for them`() async throws {
        _ = try await Node(1, log).run { client, broker in
            client.subscribe(to: "state+json/lobby/")
            let began = ContinuousClock.now
            // Beyond the 3 s that its batch allows.
            try await broker.perform(Self.show("A", milliseconds: 4000))
            #expect(await Self.shown(client, until: "A").last == "A")

            #expect(await Self.shown(client, until: "").last == "")

            #expect(ContinuousClock.now - began >= .milliseconds(3990))
        }
    }

    @Test func `a broker that was overtaken acknowledges and publishes nothing more`() async throws {
        let end = try await Node(1, log).run { [log] client, broker in
            try await broker.perform(Self.show("A", milliseconds: 600_000))
            client.subscribe(to: "state+json/lobby/")
            #expect(await Self.shown(client, until: "A").last == "A")
            log.with { $0.takeOver(by: LogOwner(high: 9, low: 9)) }

            await #expect(throws: CommandRefusal.self) {
                try await broker.perform(Self.show("B", milliseconds: 600_000))
            }

            while let message = await Self.next(client, within: .milliseconds(300)) {
                #expect(!String(decoding: message.body, as: UTF8.self).contains("\"B\""))
            }
        }
        #expect(end == .overtaken)
    }
}
