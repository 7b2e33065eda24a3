import PopupJournal
import PopupScheduling

/// A committer of batches in parallel to the loop, one at a time, in the order of submission.
///
/// The broker calls it from its own thread, and uses the journal only while no batch is in flight.
protocol Committer: AnyObject {
    /// The number of entries from which a batch should be submitted. For smaller ones, the communication with the
    /// thread takes longer than the work that the loop could do meanwhile. It depends on the pace of the disk.
    var leastEntries: Int { get }

    /// Whether the next commit takes much longer than others: then even a single entry should be submitted.
    var isNextCommitLong: Bool { get }

    /// Commits a batch on the thread of the caller. No batch may be in flight.
    ///
    /// - Throws: The errors of the journal. Then nothing is committed.
    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit

    /// Whether the outcome of the batch in flight is known.
    var isDone: Bool { get }

    /// Starts to commit a batch, and returns at once. No batch may be in flight.
    ///
    /// - Parameter time: The time at which its commands are applied.
    func begin(_ log: consuming CommandLog, at time: Milliseconds)

    /// Returns the outcome of the batch in flight; `nil` while it is not known.
    func takeOutcome() -> CommitOutcome?

    /// Waits until the outcome is known.
    func wait()

    /// Waits until the outcome is known, or a time in ms has passed.
    func wait(milliseconds: Int)

    /// Ends the committer, after the batch in flight.
    func stop()
}

extension Committer {
    /// Whether the next commit takes longer: by default never.
    var isNextCommitLong: Bool { false }
}

/// The outcome of a batch in flight.
struct CommitOutcome {
    /// The log of the batch, whose memory is reused.
    var log: CommandLog
    var result: Result<Commit, any Error>
}

/// A committed batch.
struct Commit: Sendable {
    var sequence: UInt64
    /// Whether a new snapshot must not wait for a pause any more.
    var isSnapshotOverdue: Bool
    /// The duration of the commit; `nil` if it was not measured.
    var duration: Duration?

    /// Commits a batch.
    ///
    /// - Throws: The errors of the journal. Then nothing is committed.
    init(_ log: borrowing CommandLog, to journal: any Journal, at time: Milliseconds) throws {
        sequence = try journal.append(log.bytes.span.bytes, at: time)
        isSnapshotOverdue = journal.isSnapshotOverdue
    }
}
