import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The batches on their way to the journal: one that is gathered, one in flight, and one that is being applied.
///
/// A small batch is committed at once, on the loop's thread. A large one is submitted and completes when it is
/// committed, while the next is gathered:
///
///     loop       gather 1 ─┬─ gather 2 ─────────┬─ apply 1 ─ gather 3 ──┬─ apply 2 ─
///     committer            └──── commit 1 ──────┴───── commit 2 ────────┴─ commit 3
///
/// Each of the three has a variable. A batch that moves on leaves an empty one behind, whose memory is reused. At most
/// two batches are closed: a committed batch is applied before the next one is submitted.
struct CommitPipeline: ~Copyable {
    private let journal: any Journal
    /// The committer; `nil` if the loop itself commits.
    private let committer: (any Committer)?
    /// The creation of snapshots; `nil` for a journal without snapshots.
    private let snapshotter: Snapshotter?
    /// The size of the journal's files; `nil` for a journal without files.
    private let gauge: JournalGauge?
    /// The maximum number of messages in a batch.
    private let batchMessages: Int
    /// The received size in bytes at which a batch is full. Its commands are decoded, committed and applied before
    /// other clients are served.
    let batchBytes: Int
    /// The maximum size of a command in the log in bytes, with the data of its time zones; `.max` for any size.
    let maxCommandBytes: Int
    /// The size of the gathered log in bytes from which one more command may not fit; `.max` for a journal without a
    /// limit.
    private let fullLogBytes: Int
    /// Whether other processes may own the journal: then timers are handled until its limit only.
    let isShared: Bool
    private var failures: CommitFailureLog

    /// The batch that is gathered. Its functions add to it; only a commit replaces it.
    var gathered = Batch()
    private var submitted = Batch()
    /// The batch that is being applied, after its commit or its refusal.
    private(set) var applying = Batch()
    /// Whether a batch is in flight. Then the committer has its log.
    private(set) var isInFlight = false
    /// Whether the commit of the batch in flight takes much longer than others: the loop never waits for it
    /// without a limit.
    private(set) var isLongInFlight = false
    /// Whether the last commit has taken long. What was gathered meanwhile may be much.
    private(set) var wasLong = false
    /// Whether a batch is being applied, perhaps over several turns.
    private(set) var isApplying = false
    /// The progress of applying the batch.
    private(set) var progress = CompletionProgress()

    /// Whether a reload waits for the batch in flight. Until that is applied, nothing is gathered.
    private var isReloading = false

    /// The requests for a later time limit of a shared journal.
    private var reservation = TimeReservation()

    /// The number of batches so far, including those that could not be committed.
    private(set) var batches: UInt64 = 0
    /// The durations of commits in µs, as far as they are measured.
    private(set) var commitTimes = Histogram()

    /// Creates an empty pipeline.
    init(
        _ configuration: BrokerConfiguration, journal: any Journal, committer: (any Committer)?, logger: Logger
    ) {
        self.journal = journal
        self.committer = committer
        snapshotter = journal.archive.map {
            Snapshotter(archive: $0, JournaledSettings(configuration), logger: logger)
        }
        gauge = JournalGauge(of: journal)
        batchMessages = min(configuration.limits.batchMessages, journal.preferredBatch)
        batchBytes = journal.preferredBatchBytes
        (maxCommandBytes, fullLogBytes) = Self.limits(ofBatchBytes: journal.maxBatchBytes)
        isShared = journal.commitWait == .network
        failures = CommitFailureLog(logger: logger)
    }

    // MARK: - Gathering

    /// Records whether a reload waits for the batch in flight: then nothing is gathered before it is applied.
    mutating func waitForReload(_ isReloading: Bool) { self.isReloading = isReloading }

    /// The room in bytes that a limited batch keeps for one command: a frame, which a name of its user and defaults of
    /// its group enlarge, or a policy with the data of its time zones.
    private static var roomForCommand: Int { 2 * Ingress.maxFrameBytes }
    /// The room in bytes that a limited batch keeps for the heads of these entries, the names of the zones, and what
    /// the broker enters of itself: the wall clock and the settings.
    private static var roomForOwnEntries: Int { 8192 }

    /// Returns the sizes in bytes of the largest command, and of a full log, for batches of at most this size.
    ///
    /// A function of its own, not inlined: with the precondition between the assignments of the initializer, which is
    /// that of a noncopyable struct, the optimizer of Swift 6.3.1 releases a value one time too many.
    @inline(never)
    private static func limits(ofBatchBytes most: Int) -> (command: Int, log: Int) {
        guard most < .max else { return (.max, .max) }
        precondition(most > roomForCommand + roomForOwnEntries, "a batch cannot hold the largest command")
        return (roomForCommand, most - roomForCommand - roomForOwnEntries)
    }

    /// The number of decoded commands at which a batch is full. They cost several times as much as ordinary ones: half
    /// a thousand take some milliseconds.
    private static var decodedCommands: Int { 512 }

    // What each turn asks for is inlined: a call would copy the pipeline, which is some 500 bytes.

    /// Whether the gathered batch accepts no further message. One message may contain thousands of commands, so these
    /// count, too.
    @inline(__always)
    var isFull: Bool {
        gathered.messages >= batchMessages || gathered.commands >= batchMessages || hasManyDecoded
            || gathered.receivedBytes >= batchBytes || gathered.visits >= Ingress.visitedPopups || hasFullLog
    }

    /// Whether the log of the gathered batch has room for no further command, so that the journal can hold the batch.
    @inline(__always)
    var hasFullLog: Bool { fullLogBytes < .max && gathered.log.bytes.count >= fullLogBytes }

    /// Whether the rest of a frame has to wait for a later batch.
    @inline(__always)
    var holdsRest: Bool { hasManyDecoded || hasFullLog }

    /// Whether the gathered batch accepts no further command that has to be decoded, not even of the same message.
    @inline(__always)
    var hasManyDecoded: Bool { max(gathered.decoded, gathered.others.count) >= Self.decodedCommands }

    /// The maximum number of messages in one turn.
    var messagesInTurn: Int { batchMessages }

    /// The maximum number of calls that are admitted in a turn: half of a batch, so that messages find room.
    var callsInTurn: Int { min(batchMessages, Self.decodedCommands) / 2 }

    /// Whether a batch is in flight or is being applied. Then new commands are gathered for a later batch, and queries
    /// are answered before it.
    var isCommitting: Bool { isInFlight || isApplying }

    /// Whether a batch is in flight and the next one accepts nothing, so that the loop can only wait.
    @inline(__always)
    var isBackPressured: Bool { !isApplying && isInFlight && (isFull || isReloading) }

    /// The number of bytes from which a batch is submitted, however few its entries are: the system may make the thread
    /// that writes them wait for the disk.
    static var bytesWorthSubmitting: Int { 64 << 10 }

    /// Whether the gathered batch is large enough to be submitted, or its commit takes long. Inlined, since a call
    /// would pass a copy of all fields.
    var isWorthSubmitting: Bool {
        @inline(__always) get {
            guard let committer, !gathered.log.bytes.isEmpty else { return false }
            return gathered.entries.count >= committer.leastEntries
                || gathered.log.bytes.count >= Self.bytesWorthSubmitting || committer.isNextCommitLong
        }
    }

    /// Whether the next commit takes much longer than others, because it begins a file of the journal.
    var isNextCommitLong: Bool { @inline(__always) get { committer?.isNextCommitLong == true } }

    /// Whether new policies would use this data of a time zone: it is in force, or entered in the gathered batch. Data
    /// of an earlier batch that is not applied yet is entered again, because that batch may fail.
    func isEntered(_ zone: TimeZoneData, inForce: TimeZoneTable) -> Bool {
        if let entered = gathered.enteredZones[zone.name] { return entered == zone }
        if isInFlight, submitted.enteredZones[zone.name] != nil { return false }
        if isApplying, applying.enteredZones[zone.name] != nil { return false }
        return inForce[zone.name] == zone
    }

    // MARK: - Committing

    /// The time at which the batch in flight will be applied; `nil` if none is in flight.
    var timeInFlight: Milliseconds? { isInFlight ? submitted.time : nil }

    /// Whether the outcome of the batch in flight is known.
    var isDone: Bool { committer?.isDone == true }

    /// Commits the gathered batch on this thread. Afterwards it must be applied. No other may be in flight or being
    /// applied.
    ///
    /// - Parameter now: The time at which its commands are applied.
    /// - Returns: Whether it was committed, or had nothing to commit. Otherwise it is refused.
    /// - Throws: `JournalLost`. Then nothing is refused or published.
    mutating func commit(at now: Milliseconds) throws(JournalLost) -> Bool {
        wasLong = false
        swap(&gathered, &applying)
        applying.close(at: now)
        guard !applying.log.bytes.isEmpty else {
            beginApplying(sequence: nil)
            return true
        }
        do {
            // Without a committer, no reference is counted.
            let commit =
                if committer != nil, let committer {
                    try committer.commit(applying.log, at: now)
                } else {
                    try Commit(applying.log, to: journal, at: now)
                }
            complete(commit, at: now)
            return true
        } catch let lost as JournalLost {
            throw lost
        } catch {
            fail(error, at: now)
            return false
        }
    }

    /// Submits the gathered batch to the committer. No other may be in flight.
    ///
    /// - Parameters:
    ///   - time: The time at which its commands are applied.
    ///   - now: The time up to which all timers were handled.
    mutating func submit(at time: Milliseconds, _ now: Milliseconds) {
        swap(&gathered, &submitted)
        submitted.close(at: time)
        // Timers up to this time may be handled before the commit.
        if time > now { journal.record(time: time) }
        (wasLong, isLongInFlight) = (false, isNextCommitLong)
        committer?.begin(submitted.takeLog(), at: time)
        isInFlight = true
    }

    /// Makes the batch in flight the one to be applied, if its outcome is known.
    ///
    /// - Returns: Whether it was committed; otherwise it is refused. `nil` if the outcome is not known yet.
    /// - Throws: `JournalLost`. Then nothing is refused or published.
    mutating func takeCompleted(at now: Milliseconds) throws(JournalLost) -> Bool? {
        guard let outcome = committer?.takeOutcome(), isInFlight else { return nil }
        (isInFlight, wasLong, isLongInFlight) = (false, isLongInFlight, false)
        submitted.putBack(outcome.log)
        swap(&submitted, &applying)
        switch outcome.result {
        case .success(let commit): complete(commit, at: now)
        case .failure(let lost as JournalLost): throw lost
        case .failure(let error):
            fail(error, at: now)
            return false
        }
        return true
    }

    private mutating func complete(_ commit: Commit, at now: Milliseconds) {
        batches += 1
        if let duration = commit.duration { commitTimes.record(duration.microseconds) }
        gauge?.refresh(at: now)
        if commit.isSnapshotOverdue { snapshotter?.begin(.steady, at: now) }
        beginApplying(sequence: commit.sequence)
    }

    private mutating func fail(_ error: any Error, at now: Milliseconds) {
        batches += 1
        failures.log(error, at: now)
        applying.refuseAll(because: Self.uncommitted)
        beginApplying(sequence: nil)
    }

    private mutating func beginApplying(sequence: UInt64?) {
        progress = CompletionProgress(sequence: sequence)
        isApplying = true
    }

    // MARK: - Applying

    /// Whether the batch that is being applied has entries that are not applied yet.
    @inline(__always)
    var hasNextEntry: Bool { progress.next < applying.entries.count }

    /// The next entry of the batch that is being applied.
    @inline(__always)
    var nextEntry: BatchEntry { applying.entries[progress.next] }

    /// Records that the timers that are due by the time of the batch are handled.
    @inline(__always)
    mutating func passTimers() { progress.passTimers() }

    /// Records that the next entry is applied.
    @inline(__always)
    mutating func passEntry() { progress.passEntry() }

    /// Records that an entry has set the wall clock.
    @inline(__always)
    mutating func recordWallClock() { progress.recordWallClock() }

    /// Records that no quiet window is due any more by the wall clock that was set.
    @inline(__always)
    mutating func passQuietWindows() { progress.passQuietWindows() }

    /// Ends the batch that is being applied, after its last entry.
    mutating func endApplying() {
        applying.removeAll()
        isApplying = false
    }

    /// The reason in refusals of commands that could not be committed.
    static let uncommitted = "the journal could not commit it; send it again later"

    // MARK: - The journal apart from batches

    /// Records in the journal that timers up to a time are about to be handled. While a batch is in flight, the journal
    /// has this time already: from a batch of this time, or from its submission.
    func recordTimers(until now: Milliseconds) {
        if !isInFlight { journal.record(time: now) }
    }

    /// The time until which timers may be handled without a batch; asked only of a shared journal.
    var timeLimit: Milliseconds { journal.timeLimit }

    /// Returns the time at which the loop has something to do for its next timer: to handle it, or to ask a shared
    /// journal for a later limit; `nil` if no timer is due, or a later limit was requested.
    @inline(__always)
    func wakeUp(forTimerDue due: Milliseconds?) -> Milliseconds? {
        guard isShared, let due else { return due }
        return reservation.wakeUp(forTimerDue: due, limit: journal.timeLimit)
    }

    /// Whether a shared journal has to be asked for a later limit now, because of a timer. The batch in flight brings
    /// one itself.
    func wantsReservation(forTimerDue due: Milliseconds, at clock: Milliseconds) -> Bool {
        !isInFlight && reservation.isDue(forTimerDue: due, limit: journal.timeLimit, at: clock)
    }

    /// Asks the journal for a later limit. No later batch may be earlier than `clock`.
    ///
    /// - Parameter handled: The time until which no timer is left to handle.
    mutating func reserve(from clock: Milliseconds, handled: Milliseconds) {
        reservation.begin(limit: journal.timeLimit)
        journal.reserve(from: clock, handled: handled)
    }

    /// Resets the counts of batches.
    mutating func startCounting() {
        batches = 0
        commitTimes = Histogram()
    }

    /// Returns the size of the journal's files in bytes as it was found last, and begins to look it up again; `nil` if
    /// it has none. It is also looked up after commits, at most once a second.
    func storedBytes(at now: Milliseconds) -> Int? {
        gauge?.refresh(at: now)
        return gauge?.bytes
    }

    /// The snapshots that were made since the start.
    var snapshots: SnapshotCounts { snapshotter?.counts ?? SnapshotCounts() }

    /// Starts a snapshot, if one is due, in a pause of the loop.
    func snapshotIfDue(at now: Milliseconds) {
        if !isInFlight, journal.isSnapshotDue { snapshotter?.begin(.givingWay, at: now) }
    }

    /// Waits until the outcome of the batch in flight is known.
    func wait() { committer?.wait() }

    /// Waits until the outcome of the batch in flight is known, or a time in ms has passed.
    func wait(milliseconds: Int) { committer?.wait(milliseconds: milliseconds) }

    /// The maximum time in ms for which the loop waits for a commit before it ends leases.
    private static var shortWait: Int { 5 }

    /// Waits a short time for the outcome of the batch in flight. If that is not enough, its commit counts as a long one,
    /// for which the loop does not wait.
    ///
    /// - Returns: Whether the outcome is known.
    mutating func waitBriefly() -> Bool {
        if isDone { return true }
        guard !isLongInFlight else { return false }
        wait(milliseconds: Self.shortWait)
        isLongInFlight = !isDone
        return !isLongInFlight
    }

    /// Ends the threads of the committer, of the snapshots and of the gauge, which must not outlive the journal.
    func stopThreads() {
        gauge?.stop()
        committer?.stop()
        snapshotter?.stop()
    }

    /// Ends the threads, and closes the journal.
    func close() throws {
        stopThreads()
        try journal.close()
    }
}

extension Duration {
    /// The duration in whole microseconds.
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
