import Dispatch
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// A thread that commits: it waits for the disk, so that the broker's needn't.
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

    /// So many are decoded while two threads are woken, about.
    private static let entriesMeanwhile = 128

    private let shared: SharedJournal
    private let state = Mutex(State())
    private let hasOutcome = Atomic<Bool>(false)
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let running = DispatchGroup()

    /// Starts the thread.
    ///
    /// - Parameter wake: called when a batch is committed, or has failed.
    /// - Throws: `ThreadError` when the system has no more threads.
    init(_ journal: any Journal, wake: @escaping @Sendable () -> Void) throws(ThreadError) {
        shared = SharedJournal(journal: journal)
        running.enter()
        do throws(ThreadError) {
            try DedicatedThread.start { [self] in
                while commitNext() {
                    hasOutcome.store(true, ordering: .releasing)
                    ended.signal()
                    wake()
                }
                running.leave()
            }
        } catch {
            running.leave()
            throw error
        }
    }

    /// Commits the next batch, or returns `false` when there is none: that is the end. When it returns nobody but the
    /// outcome has the batch's log.
    private func commitNext() -> Bool {
        begun.wait()
        guard let job = state.withLock({ $0.job.take() }) else { return false }
        let result = Result { try commit(job.log, at: job.time) }
        state.withLock { $0.outcome = CommitOutcome(log: job.log, result: result) }
        return true
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
        begun.signal()
    }

    func takeOutcome() -> CommitOutcome? {
        guard isDone else { return nil }
        ended.wait()
        hasOutcome.store(false, ordering: .relaxed)
        return state.withLock { $0.outcome.take() }
    }

    func wait() {
        ended.wait()
        ended.signal()
    }

    func stop() {
        begun.signal()
        running.wait()
    }
}
