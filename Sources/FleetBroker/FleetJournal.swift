internal import FleetState
internal import PopupFleet
public import PopupJournal
internal import Synchronization

/// The journal of a broker that owns a shared log: each batch is an entry.
///
/// The node beside it keeps the snapshots: its replica follows the same entries.
public final class FleetJournal: Journal {
    private let node: any BrokerNode
    /// The state with which the tenure begins, until the broker has read it.
    private var state: LogSnapshot?
    /// The time until which the broker has handled timers.
    private let handled = Atomic<Int64>(0)

    /// Creates the journal of a tenure that may not have begun.
    public init(_ node: any BrokerNode) { self.node = node }

    /// Waits until the tenure has begun, and returns its epoch.
    ///
    /// - Throws: `JournalLost` if the node ends before that.
    public func open() throws -> JournalOpening {
        guard let start = node.takeStart() else { throw JournalLost() }
        state = start.state
        record(time: start.begins)
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
    public var recordedTime: Int64 { handled.load(ordering: .relaxed) }

    /// Appends a batch, and returns when it is in the log. That can take as long as the log is not there.
    ///
    /// - Throws: `JournalLost`; `FleetJournalError` if the batch can never be in the log.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let bytes = commands.withUnsafeBytes { Array($0) }
        switch node.commit(bytes, of: time) {
        case .committed(let index): return index
        case .tooLarge: throw FleetJournalError.tooLarge(bytes.count)
        case .tooEarly: throw FleetJournalError.tooEarly(time)
        case .notTaken, .unknown: throw JournalLost()
        }
    }

    /// Records until when timers were handled: the next owner begins there, if this one hands over.
    public func record(time: Int64) { _ = handled.max(time, ordering: .relaxed) }

    /// Hands the log over, unless another node owns it.
    public func close() { node.handOver(handled: handled.load(ordering: .relaxed)) }

    /// The same as with a disk.
    public var preferredBatch: Int { 1024 }

    /// Above this size, larger batches cost etcd's memory and do not save time.
    public var preferredBatchBytes: Int { 256 << 10 }

    /// An entry of the log holds no more.
    public var maxBatchBytes: Int { node.maxBatchBytes }

    /// Commits wait for a majority of etcd's members.
    public var commitWait: CommitWait { .network }

    /// The horizon of the log.
    public var timeLimit: Int64 { node.horizon }

    /// Asks for a later horizon.
    public func reserve(from clock: Int64, handled: Int64) { node.reserve(from: clock, handled: handled) }
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
            "a batch of \(count) bytes is larger than an entry of the shared log; report this bug"
        case .tooEarly(let time):
            "a batch of the time \(time) is earlier than the shared log has promised; report this bug"
        }
    }
}
