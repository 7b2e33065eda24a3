/// The finished part of a journal, used from another thread while the broker appends: batches that are committed, and
/// snapshots.
///
/// Whoever holds it makes a snapshot in the way a restart would: from the one before, by applying what was committed
/// since. The thread that appends is never held up by it.
public protocol JournalArchive: AnyObject, Sendable {
    /// The newest snapshot that is whole; `nil` when there is none.
    ///
    /// - Throws: When it can't be looked for.
    func newestSnapshot() throws -> JournalSnapshot?

    /// Calls `body` with each batch from `sequence` on, oldest first, to the last that was committed when it was called
    /// or to an earlier one.
    ///
    /// - Throws: When the journal can't be read, and what `body` throws.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws

    /// Keeps a snapshot; then drops what a restart needs no more, also if this snapshot should turn out to be damaged.
    /// When this returns the snapshot is on disk.
    ///
    /// - Throws: When it can't be written; the journal is as before then.
    func keep(_ snapshot: JournalSnapshot) throws
}

/// What came of all batches up to one, as bytes.
public struct JournalSnapshot: Sendable {
    /// The last batch that it holds.
    public var sequence: UInt64
    /// When that batch was applied, in ms by the broker's clock.
    public var time: Int64
    /// What whoever made it wrote.
    public var state: [UInt8]

    /// A snapshot.
    public init(sequence: UInt64, time: Int64, state: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.state = state
    }
}
