/// The committed batches and the snapshots of a journal, for use on another thread while the broker appends.
///
/// That thread makes a snapshot in the way in which a broker restarts: from the previous snapshot and the batches since. It
/// never delays the thread that appends.
public protocol JournalArchive: AnyObject, Sendable {
    /// Returns the newest intact snapshot; `nil` if there is none.
    ///
    /// - Throws: If snapshots cannot be read.
    func newestSnapshot() throws -> JournalSnapshot?

    /// Calls `body` with each batch from `sequence` on, oldest first, at most up to the last one committed at the time of
    /// the call.
    ///
    /// - Throws: If the journal cannot be read; the errors of `body`.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws

    /// Writes a snapshot to disk, then deletes what no restart needs any more, even if this snapshot proves to be damaged.
    ///
    /// - Throws: If it cannot be written; then the journal is unchanged.
    func keep(_ snapshot: JournalSnapshot) throws
}

/// A snapshot: the state after all batches up to one, as bytes.
public struct JournalSnapshot: Sendable {
    /// The sequence of the last batch that it contains.
    public var sequence: UInt64
    /// The time of that batch, in ms by the broker's clock.
    public var time: Int64
    /// The encoded state.
    public var state: [UInt8]

    /// Creates a snapshot.
    public init(sequence: UInt64, time: Int64, state: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.state = state
    }
}
