internal import Dispatch
@_exported public import FleetBroker
public import FleetState
internal import PopupFleet
internal import Synchronization

extension FleetJournal {
    /// Creates the journal of a broker beside a node that runs. Its tenure may not have begun.
    public convenience init(
        _ runner: FleetRunner<BrokerReplica>, _ proof: TenureProof, _ beginning: TenureBeginning
    ) {
        self.init(RunningNode(runner, proof, beginning))
    }
}

/// A node that runs, as the journal of its broker uses it.
private final class RunningNode: BrokerNode {
    /// The time in ms for which `handOver` waits until the log is handed over. Afterwards the claim ends by itself.
    private static var handOverPatience: Int { 5000 }

    private let runner: FleetRunner<BrokerReplica>
    private let proof: TenureProof
    private let beginning: TenureBeginning

    init(_ runner: FleetRunner<BrokerReplica>, _ proof: TenureProof, _ beginning: TenureBeginning) {
        self.runner = runner
        self.proof = proof
        self.beginning = beginning
    }

    func takeStart() -> TenureStart? { beginning.take() }

    func commit(_ commands: [UInt8], of time: Int64) -> BatchOutcome {
        let result = AppendResult()
        Task { [runner] in result.set(await runner.commit(commands, of: time)) }
        return result.wait()
    }

    var maxBatchBytes: Int { runner.maxBatchBytes }

    var horizon: Int64 { proof.horizon }

    func reserve(from clock: Int64, handled: Int64) {
        Task { [runner] in await runner.reserve(from: clock, handled: handled) }
    }

    func handOver(handled time: Int64) {
        Task { [runner] in await runner.handOver(handled: time) }
        proof.waitForEnd(milliseconds: Self.handOverPatience)
    }
}

/// The outcome of an append, for the thread that waits for it.
private final class AppendResult: Sendable {
    private let outcome = Mutex<BatchOutcome>(.unknown)
    private let known = DispatchSemaphore(value: 0)

    func set(_ outcome: BatchOutcome) {
        self.outcome.withLock { $0 = outcome }
        known.signal()
    }

    func wait() -> BatchOutcome {
        known.wait()
        return outcome.withLock { $0 }
    }
}
