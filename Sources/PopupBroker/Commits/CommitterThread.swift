import Dispatch
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// A committer with a thread of its own, so that the loop does not wait for the disk.
final class CommitterThread: Committer, Sendable {
    private struct State {
        var job: (log: CommandLog, time: Milliseconds)?
        var outcome: CommitOutcome?
        var pace = CommitPace()
    }

    // The thread appends only while a batch is in flight; then no other thread does.
    private struct SharedJournal: @unchecked Sendable {
        let journal: any Journal
    }

    /// The number of commands that the loop decodes in about the time that it takes to wake two threads.
    private static let entriesMeanwhile = 128

    private let shared: SharedJournal
    private let waitsForNetwork: Bool
    private let thread: WorkerThread
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())
    private let hasOutcome = Atomic<Bool>(false)
    private let inFlight = DispatchGroup()

    /// Starts the thread.
    ///
    /// - Parameter wake: The function that is called when the outcome of a batch is known.
    /// - Throws: `ThreadError` if the system allows no more threads.
    init(_ journal: any Journal, wake: @escaping @Sendable () -> Void) throws(ThreadError) {
        shared = SharedJournal(journal: journal)
        waitsForNetwork = journal.commitWait == .network
        thread = try WorkerThread(niceness: 0)
        self.wake = wake
    }

    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
        let begin = ContinuousClock.now
        let result = Result { try Commit(log, to: shared.journal, at: time) }
        let duration = ContinuousClock.now - begin
        state.withLock { $0.pace.record(duration) }
        var commit = try result.get()
        commit.duration = duration
        return commit
    }

    /// The threshold: 1 with a slow disk or a network, for which the loop never waits.
    var leastEntries: Int { waitsForNetwork || state.withLock { $0.pace.isSlow } ? 1 : Self.entriesMeanwhile }

    var isNextCommitLong: Bool { shared.journal.isNextAppendLong }

    var isDone: Bool { hasOutcome.load(ordering: .acquiring) }

    func begin(_ log: consuming CommandLog, at time: Milliseconds) {
        state.withLock { [log] in $0.job = (log, time) }
        inFlight.enter()
        thread.begin { [self] in
            commitJob()
            hasOutcome.store(true, ordering: .releasing)
            inFlight.leave()
            wake()
        }
    }

    /// Commits the batch in flight. Afterwards, only the outcome refers to the log of the batch, so the loop can reuse
    /// its memory without a copy.
    private func commitJob() {
        guard let job = state.withLock({ $0.job.take() }) else { return }
        let result = Result { try commit(job.log, at: job.time) }
        state.withLock { $0.outcome = CommitOutcome(log: job.log, result: result) }
    }

    func takeOutcome() -> CommitOutcome? {
        guard hasOutcome.exchange(false, ordering: .acquiring) else { return nil }
        return state.withLock { $0.outcome.take() }
    }

    func wait() { inFlight.wait() }

    func wait(milliseconds: Int) { _ = inFlight.wait(timeout: .now() + .milliseconds(milliseconds)) }

    func stop() { inFlight.wait() }
}
