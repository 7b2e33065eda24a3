import Dispatch
import Logging
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// Makes snapshots of what was committed, on threads of its own and in the way a restart would: from the newest
/// snapshot and the batches since. The broker's thread is never held up, and each snapshot proves that the journal can
/// be recovered. While one is made, its state is in memory a second time.
final class Snapshotter: Sendable {
    /// In ms: after one that failed, the next is not made before this time is over.
    private static let pauseAfterFailure: Milliseconds = 60_000
    /// A thread that gives way to the broker's: niceness as in setpriority(2).
    private static let niceness: Int32 = 10

    /// How a snapshot is made.
    enum Pace {
        /// Giving way to whatever else there is to do.
        case givingWay
        /// Like the broker's own work: so that it ends, whatever there is to do.
        case steady
    }

    private struct State {
        /// Each pace has a thread: one that gave way can't be made to hurry again.
        var threads: [Pace: WorkerThread] = [:]
        var isRunning = false
        var notBefore: Milliseconds = .min
    }

    private let archive: any JournalArchive
    private let settings: JournaledSettings
    private let logger: Logger
    private let state = Mutex(State())
    private let isStopping = Atomic<Bool>(false)
    private let running = DispatchGroup()

    /// Makes none yet. `beginning` holds for a journal that doesn't say it.
    init(archive: any JournalArchive, _ settings: JournaledSettings, logger: Logger) {
        self.archive = archive
        self.settings = settings
        self.logger = logger
    }

    /// Begins a snapshot, unless one is being made or has just failed. Returns at once.
    func begin(_ pace: Pace, at now: Milliseconds) {
        let isDue = state.withLock { state in
            guard !state.isRunning, now >= state.notBefore else { return false }
            state.isRunning = true
            state.notBefore = now + Self.pauseAfterFailure
            return true
        }
        guard isDue else { return }
        running.enter()
        do {
            try thread(for: pace).begin { [self] in
                make()
                running.leave()
            }
        } catch {
            state.withLock { $0.isRunning = false }
            running.leave()
            logger.error("no snapshot is made", metadata: ["why": "\(error)"])
        }
    }

    private func thread(for pace: Pace) throws -> WorkerThread {
        if let thread = state.withLock({ $0.threads[pace] }) { return thread }
        let thread = try WorkerThread(niceness: pace == .givingWay ? Self.niceness : 0)
        state.withLock { $0.threads[pace] = thread }
        return thread
    }

    /// Ends the one that is being made, if there is one, and waits for that.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        running.wait()
    }

    private func make() {
        var isMade = false
        do {
            let snapshot = try currentSnapshot()
            try archive.keep(snapshot)
            isMade = true
            logger.info(
                "snapshot made", metadata: ["batch": "\(snapshot.sequence)", "bytes": "\(snapshot.state.count)"])
        } catch is SnapshotInterrupted {
            logger.debug("the snapshot is given up: the broker stops")
        } catch {
            logger.error(
                "no snapshot is made; the journal grows until one is", metadata: ["why": "\(error)"])
        }
        state.withLock { state in
            state.isRunning = false
            if isMade { state.notBefore = .min }
        }
    }

    private func currentSnapshot() throws -> JournalSnapshot {
        var recovered = try BrokerState.recover(from: archive.newestSnapshot(), settings) {
            sequence, body in
            try archive.replay(from: sequence) { batch in
                guard !isStopping.load(ordering: .relaxed) else { throw SnapshotInterrupted() }
                try body(batch)
            }
        }
        return try recovered.snapshot()
    }
}

/// The broker stops before a snapshot was made.
private struct SnapshotInterrupted: Error {}
