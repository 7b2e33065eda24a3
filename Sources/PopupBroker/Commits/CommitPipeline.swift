import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The way of batches to the journal: the one that is gathered, the one in flight, the one that is being applied.
///
/// A small batch is committed at once, on the loop's thread. A large one is submitted and completes when it is
/// committed, while the next is gathered:
///
///     loop       gather 1 ─┬─ gather 2 ─────────┬─ apply 1 ─ gather 3 ──┬─ apply 2 ─
///     committer            └──── commit 1 ──────┴───── commit 2 ────────┴─ commit 3
///
/// Each of the three has a place of its own; a batch that goes on to the next place leaves an empty one behind, whose
/// memory is used again. At most two batches are closed: what is committed is applied, in order, before more is
/// submitted.
struct CommitPipeline: ~Copyable {
    private let journal: any Journal
    /// `nil`: the loop itself commits.
    private let committer: (any Committer)?
    /// `nil` for a journal that keeps no snapshots.
    private let snapshotter: Snapshotter?
    /// Messages in a batch at most.
    private let batchMessages: Int
    private var failures: CommitFailureLog

    /// The batch that is gathered.
    var gathered = Batch()
    private var submitted = Batch()
    /// The batch that is committed, or was refused, and is being applied.
    private(set) var applying = Batch()
    /// Whether a batch is committed beside the loop; its log is lent to the committer.
    private(set) var isInFlight = false
    /// Whether a batch is being applied, perhaps over several turns.
    private(set) var isApplying = false
    /// How far it is applied.
    var progress = CompletionProgress()

    /// Batches that were committed, or could not be, so far.
    private(set) var batches: UInt64 = 0

    /// An empty pipeline.
    init(
        _ configuration: BrokerConfiguration, journal: any Journal, committer: (any Committer)?, logger: Logger
    ) {
        self.journal = journal
        self.committer = committer
        snapshotter = journal.archive.map {
            Snapshotter(archive: $0, JournaledSettings(configuration), logger: logger)
        }
        batchMessages = min(configuration.limits.batchMessages, journal.preferredBatch)
        failures = CommitFailureLog(logger: logger)
    }

    // MARK: - Gathering

    /// A batch for which so many bytes were received takes no further message: what is in it is decoded, committed and
    /// applied before anybody else is served.
    private static var batchBytes: Int { 512 << 10 }

    /// Whether the gathered batch takes no further message. One message may hold thousands of commands: they count,
    /// too.
    var isFull: Bool {
        gathered.messages >= batchMessages || gathered.commands >= batchMessages
            || gathered.receivedBytes >= Self.batchBytes || gathered.visits >= Ingress.visitedPopups
    }

    /// Messages in one turn at most.
    var messagesInTurn: Int { batchMessages }

    /// Whether a batch is in flight or is being applied: what comes is gathered for a later one, and questions don't
    /// wait for it.
    var isCommitting: Bool { isInFlight || isApplying }

    /// Whether a batch is in flight, and the one after it is full: there is nothing to do but to wait.
    var isBackPressured: Bool { !isApplying && isInFlight && isFull }

    /// Whether the gathered batch is large enough to be submitted.
    var isWorthSubmitting: Bool {
        guard let committer, !gathered.log.bytes.isEmpty else { return false }
        return gathered.entries.count >= committer.leastEntries
    }

    /// Whether policies that come now go by the data of a zone, as it is in force or is entered in the gathered batch.
    /// What a batch before that enters is entered again: the one may fail, the other come to it later.
    func isEntered(_ zone: TimeZoneData, inForce: TimeZoneTable) -> Bool {
        if let entered = gathered.enteredZones[zone.name] { return entered == zone }
        if isInFlight, submitted.enteredZones[zone.name] != nil { return false }
        if isApplying, applying.enteredZones[zone.name] != nil { return false }
        return inForce[zone.name] == zone
    }

    // MARK: - Committing

    /// When the commands of the batch in flight are applied; `nil`: none is in flight.
    var timeInFlight: Milliseconds? { isInFlight ? submitted.time : nil }

    /// Whether what came of the batch in flight is known.
    var isDone: Bool { committer?.isDone == true }

    /// Commits the gathered batch on this thread; it is to be applied then. No other may be in flight or being applied.
    ///
    /// - Parameter now: when its commands are applied.
    /// - Returns: Whether it is committed, or there was nothing to be committed; it is refused otherwise.
    mutating func commit(at now: Milliseconds) -> Bool {
        swap(&gathered, &applying)
        applying.time = now
        guard !applying.log.bytes.isEmpty else {
            beginApplying(sequence: nil)
            return true
        }
        do {
            // No reference is counted where there is none.
            let commit =
                if committer != nil, let committer {
                    try committer.commit(applying.log, at: now)
                } else {
                    try Commit(applying.log, to: journal, at: now)
                }
            complete(commit, at: now)
            return true
        } catch {
            fail(error, at: now)
            return false
        }
    }

    /// Has the gathered batch committed beside the loop. No other may be in flight.
    ///
    /// - Parameters:
    ///   - time: when its commands are applied.
    ///   - now: until when all is decided.
    mutating func submit(at time: Milliseconds, _ now: Milliseconds) {
        swap(&gathered, &submitted)
        submitted.time = time
        // Timers until then may be handled before it is committed.
        if time > now { journal.note(time: time) }
        var log = CommandLog()
        swap(&log, &submitted.log)
        committer?.begin(log, at: time)
        isInFlight = true
    }

    /// Takes the batch in flight for being applied, when what came of it is known.
    ///
    /// - Returns: Whether it is committed; it is refused otherwise. `nil`: it isn't known yet.
    mutating func takeCompleted(at now: Milliseconds) -> Bool? {
        guard let outcome = committer?.takeOutcome(), isInFlight else { return nil }
        isInFlight = false
        submitted.log = outcome.log
        swap(&submitted, &applying)
        switch outcome.result {
        case .success(let commit): complete(commit, at: now)
        case .failure(let error):
            fail(error, at: now)
            return false
        }
        return true
    }

    private mutating func complete(_ commit: Commit, at now: Milliseconds) {
        batches += 1
        if commit.isSnapshotOverdue { snapshotter?.begin(.steady, at: now) }
        beginApplying(sequence: commit.sequence)
    }

    private mutating func fail(_ error: any Error, at now: Milliseconds) {
        batches += 1
        failures.note(error, at: now)
        applying.refuseAll(because: Self.uncommitted)
        beginApplying(sequence: nil)
    }

    private mutating func beginApplying(sequence: UInt64?) {
        progress = CompletionProgress(sequence: sequence)
        isApplying = true
    }

    /// Ends the batch that is being applied: all of it is.
    mutating func endApplying() {
        applying.removeAll()
        isApplying = false
    }

    /// Why what could not be committed is refused.
    static let uncommitted = "the journal could not commit it; send it again later"

    // MARK: - The journal beside batches

    /// Notes in the journal that timers until a time are about to be handled. While a batch is in flight, one of this
    /// time is committed, or its time was noted when it was submitted.
    func noteTimers(until now: Milliseconds) {
        if !isInFlight { journal.note(time: now) }
    }

    /// Counts batches from now on.
    mutating func startCounting() { batches = 0 }

    /// Begins a snapshot, if one is due: it waits for a pause.
    func snapshotIfDue(at now: Milliseconds) {
        if !isInFlight, journal.isSnapshotDue { snapshotter?.begin(.givingWay, at: now) }
    }

    /// Waits until the batch in flight is committed, or has failed.
    func wait() { committer?.wait() }

    /// Ends the threads that commit and make snapshots: they must not outlive the journal.
    func stopThreads() {
        committer?.stop()
        snapshotter?.stop()
    }

    /// Ends the threads, and closes the journal.
    func close() throws {
        stopThreads()
        try journal.close()
    }
}

/// How far a batch is applied.
///
/// Its commands are applied one after the other, each as a whole, at the batch's time, before anything else is. Where
/// that takes long, turns come between, in which questions are answered and others are heard.
struct CompletionProgress {
    /// In the journal; `nil` for one that isn't committed, or has nothing to commit.
    var sequence: UInt64?
    /// Whether timers that are due by its time come first, still.
    var wantsTimers = true
    /// The entry that is applied next.
    var next = 0
}
