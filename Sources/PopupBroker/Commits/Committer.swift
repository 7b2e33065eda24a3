import PopupJournal
import PopupScheduling

/// Commits batches beside the loop, one at a time, in the order in which they are handed over.
///
/// The broker calls it from its own thread, and the journal only while no batch is in flight.
protocol Committer: AnyObject {
    /// A batch with fewer entries is better committed by the loop itself: handing it over, and being told that it is
    /// committed, takes longer than what could be done meanwhile. It changes with the pace of the disk.
    var leastEntries: Int { get }

    /// Commits a batch on the caller's thread. None may be in flight.
    ///
    /// - Throws: What the journal throws; nothing of it is committed then.
    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit

    /// Whether what came of the batch in flight is known.
    var isDone: Bool { get }

    /// Begins to commit a batch, and returns at once. None may be in flight.
    ///
    /// - Parameter time: when its commands are applied.
    func begin(_ log: consuming CommandLog, at time: Milliseconds)

    /// What came of the batch in flight; `nil` while that isn't known.
    func takeOutcome() -> CommitOutcome?

    /// Waits until it is known.
    func wait()

    /// Ends it, when the batch in flight is committed or has failed.
    func stop()
}

/// What came of a batch that was in flight.
struct CommitOutcome {
    /// The batch's log, given back: its memory is used again.
    var log: CommandLog
    var result: Result<Commit, any Error>
}

/// A batch that is in the journal.
struct Commit: Sendable {
    var sequence: UInt64
    /// A new snapshot must not wait for a pause any more.
    var isSnapshotOverdue: Bool

    /// Commits a batch.
    ///
    /// - Throws: What the journal throws; nothing of it is committed then.
    init(_ log: borrowing CommandLog, to journal: any Journal, at time: Milliseconds) throws {
        sequence = try journal.append(log.bytes.span.bytes, at: time)
        isSnapshotOverdue = journal.isSnapshotOverdue
    }
}
