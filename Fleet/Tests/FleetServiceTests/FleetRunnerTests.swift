import FleetTrial
import PopupFleet
import PopupJournal
import Synchronization
import Testing

@testable import FleetService

/// Clocks that stand still until somebody moves them.
private final class Clocks: Sendable {
    private let boot = Mutex<(now: Int64, ahead: Int64)>((0, 0))

    /// Moves the clocks on by some ms.
    func advance(by time: Int64) { boot.withLock { $0.now += time } }

    /// Moves the clocks on by some ms after they are read once more.
    func advance(byAfterNextRead time: Int64) { boot.withLock { $0.ahead = time } }

    func moment() -> FleetMoment {
        boot.withLock { boot in
            defer { boot = (boot.now + boot.ahead, 0) }
            return FleetMoment(boot: boot.now, wall: 5000 + boot.now)
        }
    }
}

/// What a running node makes of the answers of its log.
@Suite(.timeLimit(.minutes(1))) struct FleetRunnerTests {
    private let clocks = Clocks()

    private func runner(_ log: ScriptedLog) -> FleetRunner<NumberMachine> {
        FleetRunner(LogOwner(high: 1, low: 1), rank: 0, log: log, moment: { [clocks] in clocks.moment() })
    }

    private func eventually(_ isSo: () async -> Bool) async throws {
        while await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func batch(_ number: UInt64) -> [UInt8] {
        NumberMachine.bytes(of: [NumberMachine.Command(number: number, delay: 10)])
    }

    @Test func `a batch that is larger than an entry may be is refused, and the next one is in`() async throws {
        let log = ScriptedLog()
        let runner = runner(log)
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }

        #expect(await runner.append([UInt8](repeating: 0, count: 1000 - 48 + 1)) == .tooLarge)
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
            $0.head =
                HeadWrite.takeOver(
                    after: $0.head, by: LogOwner(high: 2, low: 2), epoch: 1, at: $0.head.horizon,
                    horizon: $0.head.horizon
                ).new
            $0.script = .works
        }

        #expect(await outcome == .unknown)
        #expect(await running.value == .overtaken)
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
