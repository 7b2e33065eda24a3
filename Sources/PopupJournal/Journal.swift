/// Where committed commands are kept: what was committed before a stop is there after it.
///
/// One broker at a time writes a journal. It never calls from two threads at once, but `append` may come from another
/// thread than the rest if `waitsForDisk`. Nothing that it was told to publish leaves before `append` has returned.
public protocol Journal: AnyObject {
    /// Opens the journal for appending.
    ///
    /// - Returns: The epoch that begins, greater than that of every opening before, and where the log stands.
    /// - Throws: When it can't be opened, or another broker has it open.
    func open() throws -> JournalOpening

    /// The newest snapshot that is whole; `nil` when there is none. What it holds needn't be replayed.
    ///
    /// - Throws: When it can't be looked for. A damaged one is passed over, which `open` has told.
    func newestSnapshot() throws -> JournalSnapshot?

    /// Calls `body` with each batch from `sequence` on, oldest first. What was retained no longer, and what is damaged,
    /// is left out.
    ///
    /// - Throws: When the journal can't be read, and what `body` throws.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws

    /// Appends a batch as one commit. Its commands are committed all or none; they are when this returns.
    ///
    /// - Parameters:
    ///   - commands: the batch's commands, as `CommandLog` lays them out. Not kept beyond the call.
    ///   - time: when they are applied, in ms by the broker's clock.
    /// - Returns: The batch's sequence: one more than the last.
    /// - Throws: When it can't be committed; nothing of it is then.
    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64

    /// Notes that the broker has let time pass until then, in ms by its clock, without a batch: timers were due. It is not
    /// waited for, and must be quick; a restart under a clock that was set back goes on from there.
    func note(time: Int64)

    /// The latest time that is known from `note` of earlier openings, in ms by their clock; 0: none. Asked after `open`.
    var notedTime: Int64 { get }

    /// Closes the journal. No other call follows but `open`.
    func close() throws

    /// Where another thread reads what was committed and leaves snapshots; `nil` for a journal that keeps none.
    var archive: (any JournalArchive)? { get }

    /// How many messages are best committed together, when so many wait: more where a commit waits for a disk.
    var preferredBatch: Int { get }

    /// Whether a commit takes so long that the broker had better go on meanwhile.
    var waitsForDisk: Bool { get }

    /// So much was committed since the newest snapshot that a new one pays, when there is time for it. Asked often: must be
    /// quick.
    var isSnapshotDue: Bool { get }

    /// So much was committed since the newest snapshot that a new one must not wait for a pause any more. Asked after each
    /// commit: must be quick.
    var isSnapshotOverdue: Bool { get }
}

extension Journal {
    /// 128: as many as one look at a socket is shared by to good effect.
    public var preferredBatch: Int { 128 }
    /// Nothing is noted.
    public func note(time: Int64) {}
    /// None.
    public var notedTime: Int64 { 0 }
    /// None is kept.
    public func newestSnapshot() throws -> JournalSnapshot? { nil }
    /// None is kept.
    public var archive: (any JournalArchive)? { nil }
    /// It returns at once.
    public var waitsForDisk: Bool { false }
    /// Never.
    public var isSnapshotDue: Bool { false }
    /// As soon as one is due.
    public var isSnapshotOverdue: Bool { isSnapshotDue }
}

/// What the opening of a journal tells.
public struct JournalOpening: Sendable, Hashable {
    /// Names this run of the broker; greater than every one before.
    public var epoch: UInt64
    /// The sequence of the last batch committed; 0 when there is none.
    public var lastSequence: UInt64
    /// What of it is not as it was written; empty for a journal that is whole.
    public var findings: [JournalFinding]

    /// An opening.
    public init(epoch: UInt64, lastSequence: UInt64, findings: [JournalFinding] = []) {
        self.epoch = epoch
        self.lastSequence = lastSequence
        self.findings = findings
    }
}

/// One commit, lent while it is replayed.
public struct JournalBatch: ~Copyable, Sendable {
    /// 1, 2, 3 …
    public let sequence: UInt64
    /// When its commands were applied, in ms by the broker's clock.
    public let time: Int64
    /// Its commands, as `CommandLog` lays them out.
    public let commands: [UInt8]

    /// A batch.
    public init(sequence: UInt64, time: Int64, commands: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.commands = commands
    }
}
