@testable import PopupBroker
import PopupJournal
import PopupScheduling

/// Commits when the test lets it.
final class HeldCommitter: Committer {
    let leastEntries: Int
    /// Whether the next commit takes long, until it has begun.
    var isNextCommitLong: Bool {
        get { isNextLong || isEveryCommitLong }
        set { isNextLong = newValue }
    }
    /// Whether the batch in flight takes longer than anybody waits who has a limit.
    var isSlow = false
    /// Whether each commit takes long, as with a journal whose file cannot be written any more.
    var isEveryCommitLong = false
    private var isNextLong = false
    /// The number of batches that were in flight.
    private(set) var begins = 0
    /// The number of commits that the loop waited for: those on its own thread, and those that it waited for.
    private(set) var waits = 0
    /// The batch in flight is not committed before this is `false`.
    var isHolding = true
    private(set) var isStopped = false

    private let journal: any Journal
    private var job: (log: CommandLog, time: Milliseconds)?

    init(_ journal: any Journal, leastEntries: Int = 1) {
        self.journal = journal
        self.leastEntries = leastEntries
    }

    /// Whether a batch is in flight.
    var isInFlight: Bool { job != nil }

    var isDone: Bool { isInFlight && !isHolding }

    func begin(_ log: consuming CommandLog, at time: Milliseconds) {
        precondition(job == nil, "one batch at a time")
        job = (log, time)
        isNextLong = false
        begins += 1
    }

    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
        precondition(job == nil, "one batch at a time")
        waits += 1
        isNextLong = false
        return try Commit(log, to: journal, at: time)
    }

    func takeOutcome() -> CommitOutcome? {
        guard isDone, let (log, time) = job.take() else { return nil }
        let journal = journal
        return CommitOutcome(log: log, result: Result { try Commit(log, to: journal, at: time) })
    }

    func wait() {
        waits += 1
        isHolding = false
    }

    func wait(milliseconds: Int) { if isSlow { waits += 1 } else { wait() } }

    func stop() { isStopped = true }
}
