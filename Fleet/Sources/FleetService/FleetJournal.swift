internal import Dispatch
public import FleetState
public import PopupBroker
internal import PopupFleet
public import PopupJournal
internal import Synchronization

/// The journal of a broker that owns a shared log: each batch is an entry.
///
/// The node beside it keeps the snapshots: its replica follows the same entries.
public final class FleetJournal: Journal {
    /// The time in ms for which `close` waits until the log is handed over. Afterwards the claim ends by itself.
    private static var handOverPatience: Int { 5000 }

    private let runner: FleetRunner<BrokerReplica>
    private let proof: TenureProof
    private let beginning: TenureBeginning
    /// The state with which the tenure begins, until the broker has read it.
    private var state: LogSnapshot?
    /// The time until which the broker has handled timers.
    private let handled = Atomic<Int64>(0)

    /// Creates the journal of a tenure that may not have begun.
    public init(_ runner: FleetRunner<BrokerReplica>, _ proof: TenureProof, _ beginning: TenureBeginning) {
        self.runner = runner
        self.proof = proof
        self.beginning = beginning
    }

    /// Waits until the tenure has begun, and returns its epoch.
    ///
    /// - Throws: `JournalLost` if the node ends before that.
    public func open() throws -> JournalOpening {
        guard let start = beginning.take() else { throw JournalLost() }
        state = start.state
        note(time: start.begins)
        return JournalOpening(epoch: start.epoch, lastSequence: start.index)
    }

    /// Returns the state with which the tenure begins, once; `nil` for a log without batches.
    ///
    /// - Throws: If the empty state cannot be encoded.
    public func newestSnapshot() throws -> JournalSnapshot? {
        guard let snapshot = state else { return nil }
        state = nil
        guard try snapshot.state != BrokerReplica().snapshot() else { return nil }
        return JournalSnapshot(sequence: snapshot.index, time: snapshot.time, state: snapshot.state)
    }

    /// Does nothing: the snapshot contains all batches.
    public func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) {}

    /// The time at which the tenure began.
    public var notedTime: Int64 { handled.load(ordering: .relaxed) }

    /// Appends a batch, and returns when it is in the log. That can take as long as etcd is not there.
    ///
    /// - Throws: `JournalLost`; `FleetJournalError` if the batch can never be in the log.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let bytes = commands.withUnsafeBytes { Array($0) }
        let result = AppendResult()
        Task { [runner] in result.set(await runner.commit(bytes, of: time)) }
        switch result.wait() {
        case .committed(let index): return index
        case .tooLarge: throw FleetJournalError.tooLarge(bytes.count)
        case .tooEarly: throw FleetJournalError.tooEarly(time)
        case .notTaken, .unknown: throw JournalLost()
        }
    }

    /// Records until when timers were handled: the next owner begins there, if this one hands over.
    public func note(time: Int64) { _ = handled.max(time, ordering: .relaxed) }

    /// Hands the log over, unless another node owns it.
    public func close() {
        let time = handled.load(ordering: .relaxed)
        Task { [runner] in await runner.handOver(handled: time) }
        proof.waitForEnd(milliseconds: Self.handOverPatience)
    }

    /// The same as with a disk.
    public var preferredBatch: Int { 1024 }

    /// Above this size, larger batches cost etcd's memory and do not save time.
    public var preferredBatchBytes: Int { 256 << 10 }

    /// Commits wait for a majority of etcd's members.
    public var commitWait: CommitWait { .network }

    /// The horizon of the log.
    public var timeLimit: Int64 { proof.horizon }

    /// Asks for a later horizon.
    public func reserve(time: Int64) {
        Task { [runner] in await runner.reserve(time) }
    }
}

/// The reason for which a batch can never be in a shared log.
public enum FleetJournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has more bytes than an entry may have.
    case tooLarge(Int)
    /// Its time is earlier than what the log has promised.
    case tooEarly(Int64)

    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .tooLarge(let count):
            "a batch of \(count) bytes is larger than an entry of the shared log; send smaller ones, or set fewer policies"
        case .tooEarly(let time):
            "a batch of the time \(time) is earlier than the shared log has promised; report this bug"
        }
    }
}

/// The outcome of an append, for the thread that waits for it.
private final class AppendResult: Sendable {
    private let outcome = Mutex<FleetRunner<BrokerReplica>.AppendOutcome>(.unknown)
    private let known = DispatchSemaphore(value: 0)

    func set(_ outcome: FleetRunner<BrokerReplica>.AppendOutcome) {
        self.outcome.withLock { $0 = outcome }
        known.signal()
    }

    func wait() -> FleetRunner<BrokerReplica>.AppendOutcome {
        known.wait()
        return outcome.withLock { $0 }
    }
}

/// The clock of a broker that owns a shared log: the time of the log.
public struct TenureTime: BrokerClock {
    private let beginning: TenureBeginning

    /// Creates the clock of a tenure. It is right as soon as that has begun.
    public init(_ beginning: TenureBeginning) { self.beginning = beginning }

    /// Returns the time of the log, in ms.
    public func now() -> Int64 { SystemClocks.moment().boot + beginning.aheadOfClock }

    /// Returns the time in ms by which this machine's wall clock is ahead of the log.
    public func wallClockLead() -> Int64 {
        let moment = SystemClocks.moment()
        return moment.wall - moment.boot - beginning.aheadOfClock
    }
}
