import Dispatch
import Logging
import PopupJournal
import PopupScheduling
import Synchronization
import SystemCalls

/// The creation of snapshots on separate threads, in the way of a restart: from the newest snapshot and the batches
/// since. The loop never waits, and each snapshot shows that the journal can be recovered. Meanwhile, the state is in
/// memory twice.
final class Snapshotter: Sendable {
    /// The minimum time in ms between a failed snapshot and the next one.
    private static let pauseAfterFailure: Milliseconds = 60_000
    /// The niceness of a thread that gives precedence to that of the broker: see setpriority(2).
    private static let niceness: Int32 = 10

    /// The precedence of the thread that makes a snapshot.
    enum Pace {
        /// All other work has precedence.
        case givingWay
        /// The same as the loop, so that the snapshot ends under any load.
        case steady
    }

    private struct State {
        /// One thread for each pace, since a thread cannot lower its niceness again.
        var threads: [Pace: WorkerThread] = [:]
        var isRunning = false
        var notBefore: Milliseconds = .min
        var counts = SnapshotCounts()
    }

    private let archive: any JournalArchive
    private let settings: JournaledSettings
    private let logger: Logger
    private let state = Mutex(State())
    private let isStopping = Atomic<Bool>(false)
    private let running = DispatchGroup()

    /// Creates a snapshotter. `settings` apply to a journal that contains none.
    init(archive: any JournalArchive, _ settings: JournaledSettings, logger: Logger) {
        self.archive = archive
        self.settings = settings
        self.logger = logger
    }

    /// Starts a snapshot, unless one is being made or has just failed. Returns at once.
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
                make(begunAt: now)
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

    /// Cancels the snapshot that is being made, if there is one, and waits for its end.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        running.wait()
    }

    /// The snapshots that were made so far.
    var counts: SnapshotCounts { state.withLock { $0.counts } }

    private func make(begunAt time: Milliseconds) {
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
            guard isMade else { return }
            state.notBefore = .min
            state.counts.made += 1
            state.counts.lastBegan = time
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

/// The number of snapshots, and the time of the last one.
struct SnapshotCounts {
    var made: UInt64 = 0
    /// The time when the last snapshot was begun; `nil`: there was none.
    var lastBegan: Milliseconds?
}

/// The error that the broker stops before a snapshot is complete.
private struct SnapshotInterrupted: Error {}
