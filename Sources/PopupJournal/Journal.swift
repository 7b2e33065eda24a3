/// Where committed commands are kept: what was committed before a stop is there after it.
///
/// One broker at a time writes a journal. It calls from one thread, never from two at once, and nothing that it was told
/// to publish leaves before `append` has returned.
public protocol Journal: AnyObject {
    /// Opens the journal for appending.
    ///
    /// - Returns: The epoch that begins, greater than that of every opening before, and where the log stands.
    /// - Throws: When it can't be opened, or another broker has it open.
    func open() throws -> JournalOpening

    /// Calls `body` with each batch from `sequence` on, oldest first. What was retained no longer is left out.
    ///
    /// - Throws: When a batch can't be read, and what `body` throws.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws

    /// Appends a batch as one commit. Its commands are committed all or none; they are when this returns.
    ///
    /// - Parameters:
    ///   - commands: the batch's commands, as `CommandLog` lays them out. Not kept beyond the call.
    ///   - time: when they are applied, in ms by the broker's clock.
    /// - Returns: The batch's sequence: one more than the last.
    /// - Throws: When it can't be committed; nothing of it is then.
    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64

    /// Closes the journal. No other call follows but `open`.
    func close() throws
}

/// What the opening of a journal tells.
public struct JournalOpening: Sendable, Hashable {
    /// Names this run of the broker; greater than every one before.
    public var epoch: UInt64
    /// The sequence of the last batch committed; 0 when there is none.
    public var lastSequence: UInt64

    /// An opening.
    public init(epoch: UInt64, lastSequence: UInt64) {
        self.epoch = epoch
        self.lastSequence = lastSequence
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
