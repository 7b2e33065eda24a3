import Dispatch
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// A committer with a thread of its own, which waits for the disk instead of the loop.
final class CommitterThread: Committer, Sendable {
    private struct State {
        var job: (log: CommandLog, time: Milliseconds)?
        var outcome: CommitOutcome?
        var pace = CommitPace()
    }

    // Used by the thread only while a batch is in flight, when nobody else does.
    private struct SharedJournal: @unchecked Sendable {
        let journal: any Journal
    }

    /// The number of commands that the loop decodes in about the time that it takes to wake two threads.
    private static let entriesMeanwhile = 128

    private let shared: SharedJournal
    private let thread: WorkerThread
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())
    private let hasOutcome = Atomic<Bool>(false)
    private let inFlight = DispatchGroup()

    /// Starts the thread.
    ///
    /// - Parameter wake: called when a batch is committed, or has failed.
    /// - Throws: `ThreadError` when the system has no more threads.
    init(_ journal: any Journal, wake: @escaping @Sendable () -> Void) throws(ThreadError) {
        shared = SharedJournal(journal: journal)
        thread = try WorkerThread(niceness: 0)
        self.wake = wake
    }

    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
        let begin = ContinuousClock.now
        defer {
            let duration = ContinuousClock.now - begin
            state.withLock { $0.pace.note(duration) }
        }
        return try Commit(log, to: shared.journal, at: time)
    }

    /// 1 with a slow disk: the loop never waits for it.
    var leastEntries: Int { state.withLock { $0.pace.isSlow } ? 1 : Self.entriesMeanwhile }

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

    /// Commits the batch in flight. When it returns, nothing but the outcome refers to the batch's log: the loop uses
    /// its memory again without a copy.
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

    func stop() { inFlight.wait() }
}
