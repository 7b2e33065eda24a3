/// A journal of committed commands, which outlive the process.
///
/// One broker at a time writes a journal. It never calls from two threads at once, but calls `append` from another thread
/// than the other methods unless `commitWait` is `none`. The broker publishes the results of a batch only after `append` has returned.
public protocol Journal: AnyObject {
    /// Opens the journal for appending.
    ///
    /// - Returns: The new epoch, greater than that of every earlier opening, and the last sequence.
    /// - Throws: If it cannot be opened, or another broker has it open.
    func open() throws -> JournalOpening

    /// Returns the newest intact snapshot; `nil` if there is none. The batches up to it need not be replayed.
    ///
    /// - Throws: If snapshots cannot be read. A damaged one is skipped; `open` has reported it.
    func newestSnapshot() throws -> JournalSnapshot?

    /// Calls `body` with each batch from `sequence` on, oldest first. Deleted and damaged batches are skipped.
    ///
    /// - Throws: If the journal cannot be read; the errors of `body`.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws

    /// Appends a batch as one commit: either all of its commands are committed when this returns, or none.
    ///
    /// - Parameters:
    ///   - commands: The commands, in the format of `CommandLog`. Not kept after the call.
    ///   - time: The time at which they are applied, in ms by the broker's clock.
    /// - Returns: The sequence of the batch: one more than the last one.
    /// - Throws: If it cannot be committed; then nothing of it is. `JournalLost` if another process owns the journal, or
    ///   the outcome will not be known: then the broker ends without telling anybody.
    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64

    /// Records that the broker has handled timers up to a time, in ms by its clock, without a batch. A restart with a clock
    /// that was set back continues from there. Must be fast: nothing waits for the disk.
    func record(time: Int64)

    /// The latest time passed to `record` in earlier openings, in ms by their clock; 0: none. Read after `open`.
    var recordedTime: Int64 { get }

    /// Closes the journal. After this, only `open` may be called.
    func close() throws

    /// The archive from which another thread reads batches and to which it writes snapshots; `nil` for a journal without
    /// snapshots.
    var archive: (any JournalArchive)? { get }

    /// The number of messages that are best committed together: more if a commit waits for a disk.
    var preferredBatch: Int { get }

    /// The size of its files in bytes; `nil` for a journal without files. May be called at any time, also while another
    /// thread appends.
    var storedBytes: Int? { get }

    /// The received size in bytes at which a batch is full.
    var preferredBatchBytes: Int { get }

    /// The maximum size of a batch in bytes, in the format of `CommandLog`; `.max` for any size. At least 512 KiB: room for
    /// the largest command.
    var maxBatchBytes: Int { get }

    /// The cause of the duration of commits. If they take long, the broker continues in the meantime.
    var commitWait: CommitWait { get }

    /// Whether the next `append` takes much longer than others, for example because it begins a file: then the broker
    /// continues in the meantime. Called often, and at any time, also while another thread appends: must be fast.
    var isNextAppendLong: Bool { get }

    /// The time until which the broker may handle timers without a batch, in ms by its clock. Only asked if commits wait
    /// for the network. May be called at any time, also while another thread appends.
    var timeLimit: Int64 { get }

    /// Asks for a later `timeLimit`: a timer is due after it. Returns at once.
    ///
    /// - Parameters:
    ///   - clock: The broker's clock, in ms: the limit is to be later. No later batch is earlier.
    ///   - handled: The time until which no timer is left to handle, in ms; at most `clock`. Only until then may other
    ///     processes handle timers: they tell nobody of them.
    func reserve(from clock: Int64, handled: Int64)

    /// Whether enough was committed since the newest snapshot to make a new one in a pause. Called often: must be fast.
    var isSnapshotDue: Bool { get }

    /// Whether so much was committed since the newest snapshot that a new one must not wait for a pause. Called after each
    /// commit: must be fast.
    var isSnapshotOverdue: Bool { get }
}

extension Journal {
    /// The default, 128: enough to share the cost of polling a socket.
    public var preferredBatch: Int { 128 }
    /// Does nothing.
    public func record(time: Int64) {}
    /// The default, 0: no time.
    public var recordedTime: Int64 { 0 }
    /// Returns `nil`, the default: no snapshot.
    public func newestSnapshot() throws -> JournalSnapshot? { nil }
    /// The default, `nil`: no files.
    public var storedBytes: Int? { nil }
    /// The default, `nil`: no archive.
    public var archive: (any JournalArchive)? { nil }
    /// The default, 512 KiB.
    public var preferredBatchBytes: Int { 512 << 10 }
    /// The default: no limit.
    public var maxBatchBytes: Int { .max }
    /// The default: a commit waits for nothing that takes long.
    public var commitWait: CommitWait { .none }
    /// Whether the next `append` takes longer: by default never.
    public var isNextAppendLong: Bool { false }
    /// The default: no limit.
    public var timeLimit: Int64 { .max }
    /// Does nothing, since there is no limit.
    public func reserve(from clock: Int64, handled: Int64) {}
    /// Whether a snapshot is due: by default never.
    public var isSnapshotDue: Bool { false }
    /// Whether a snapshot is overdue: by default if one is due.
    public var isSnapshotOverdue: Bool { isSnapshotDue }
}

/// The cause of the duration of a journal's commits.
public enum CommitWait: Hashable, Sendable {
    /// Nothing that takes long.
    case none
    /// A disk of this machine.
    case disk
    /// Other machines: the broker never waits for a commit that it can submit to another thread.
    case network
}

/// The error that another process owns the journal, or that it will not be known whether a batch is in it.
public struct JournalLost: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// One sentence that says what is wrong.
    public var description: String { "another node owns the journal now, and this one ends" }
}

/// The result of opening a journal.
public struct JournalOpening: Sendable, Hashable {
    /// The epoch of this run of the broker; greater than every earlier one.
    public var epoch: UInt64
    /// The sequence of the last committed batch; 0 if there is none.
    public var lastSequence: UInt64
    /// The damage that was found; empty for an intact journal.
    public var findings: [JournalFinding]

    /// Creates a result.
    public init(epoch: UInt64, lastSequence: UInt64, findings: [JournalFinding] = []) {
        self.epoch = epoch
        self.lastSequence = lastSequence
        self.findings = findings
    }
}

/// A committed batch, valid while it is replayed.
public struct JournalBatch: ~Copyable, Sendable {
    /// The sequence: 1, 2, 3 …
    public let sequence: UInt64
    /// The time at which its commands were applied, in ms by the broker's clock.
    public let time: Int64
    /// The commands, in the format of `CommandLog`.
    public let commands: [UInt8]

    /// Creates a batch.
    public init(sequence: UInt64, time: Int64, commands: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.commands = commands
    }
}
