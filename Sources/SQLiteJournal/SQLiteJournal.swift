public import Logging
public import PopupJournal
import Synchronization

/// The journal on disk: a directory of segments, each a SQLite database in WAL mode with one row per committed batch, and
/// of snapshots.
///
/// One thread at a time appends. Each append is one transaction at the end of the WAL of the active segment. Every 64 MiB,
/// the next segment begins in a file that was prepared in advance. A queue of the journal does the rest: it prepares that
/// file, and moves the WAL of a finished segment into its database.
///
/// Opening checks everything that a restart needs. It reports all damage as a `JournalFinding`, and moves damaged files
/// into the directory `damaged`. Everything else is replayed. Sequences continue after the last one that was ever
/// committed.
public final class SQLiteJournal: Journal {
    /// The condition for a batch to count as committed.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// It is on disk: it survives a crash of the process and of the machine.
        case full
        /// The system has it: it survives a crash of the process; a power failure may lose the last moments.
        case normal
    }

    /// The settings of a journal. Change the defaults only for tests.
    public struct Options: Sendable {
        /// The size of a segment on disk, in bytes, at which the next one begins.
        public var segmentBytes: Int
        /// The bytes of commands since the newest snapshot at which a new one is due; if that snapshot is larger, its size
        /// counts.
        public var snapshotBytes: Int
        /// The wall clock in ms since 1970. An epoch is at least that number.
        public var now: @Sendable () -> Int64
        /// Whether the findings of the opening have been reported. Until then they stay in the directory, and the next
        /// opening reports them again. The journal calls it after a commit and when it is closed; it must be fast. The
        /// default returns true.
        public var isReported: @Sendable () -> Bool = { true }
        /// Whether an append waits for the maintenance that it starts, and no clock is compared with the times of files,
        /// so that a run of a test is deterministic.
        var waitsForMaintenance = false

        /// Creates settings, by default with 64 MiB each and the clock of the system.
        public init(
            segmentBytes: Int = 64 << 20, snapshotBytes: Int = 64 << 20,
            now: @escaping @Sendable () -> Int64 = WallClock.now
        ) {
            self.segmentBytes = segmentBytes
            self.snapshotBytes = snapshotBytes
            self.now = now
        }
    }

    private struct Open {
        let lock: DirectoryLock
        let state: JournalState
        let maintenance: SegmentMaintenance
        let writer: SegmentWriter
        let archive: SQLiteArchive
        /// The snapshot that the opening has read; `nil` after it was returned once.
        var snapshot: JournalSnapshot?
        let recordedTime: Int64
    }

    /// The data directory.
    public let directory: DataDirectory
    /// The condition for a batch to count as committed.
    public let durability: Durability
    private let options: Options
    private let logger: Logger
    private var current: Open?
    /// Whether the findings of the opening are still in their file.
    private var hasUnreported = false

    /// Creates a journal in a directory. Reads nothing before `open`.
    public init(directory: DataDirectory, durability: Durability, options: Options = Options(), logger: Logger) {
        self.directory = directory
        self.durability = durability
        self.options = options
        self.logger = logger
    }

    /// Opens the journal. Creates the directory if it does not exist. Takes as long as reading the newest snapshot and
    /// the batches since.
    ///
    /// - Throws: `JournalIsOpen`, or `SQLiteJournalError` if another process has the directory open, if it is not a data
    ///   directory, was written by a later version, or cannot be read and written. Then nothing in it is changed, except
    ///   for completing what an earlier process has begun.
    public func open() throws -> JournalOpening {
        guard current == nil else { throw JournalIsOpen() }
        try Files.makeDirectory(directory.path)
        // Other programs have files called `lock`, too.
        if let contents = try directory.contents(), !contents.holdsBatches, let entry = contents.others.first {
            throw SQLiteJournalError.notADataDirectory(directory: directory.path, entry: entry)
        }
        let lock = try DirectoryLock(directory)
        let opener = Opener(directory: directory, isFull: durability == .full, options: options, logger: logger)
        let opened = try opener.open(lock)
        current = Open(
            lock: lock, state: opened.state, maintenance: opened.maintenance, writer: opened.writer,
            archive: SQLiteArchive(opened.state, logger: logger), snapshot: opened.snapshot,
            recordedTime: opened.recordedTime)
        hasUnreported = !opened.opening.findings.isEmpty
        return opened.opening
    }

    /// Returns the newest intact snapshot. The first call after the opening returns the one that the opening has read.
    ///
    /// - Throws: `SQLiteJournalError`.
    public func newestSnapshot() throws -> JournalSnapshot? {
        guard let archive = current?.archive else { throw SQLiteJournalError.notOpen }
        if let snapshot = current?.snapshot.take() { return snapshot }
        return try archive.newestSnapshot()
    }

    /// Calls `body` with each intact batch from `sequence` on, oldest first, while another thread reads those that follow.
    /// Afterwards, starts to seal the segments that earlier processes have left unsealed.
    ///
    /// - Throws: `SQLiteJournalError`; the errors of `body`; `ThreadError`.
    public func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        guard let current else { throw SQLiteJournalError.notOpen }
        defer { current.maintenance.sealInherited() }
        let last = current.state.committed.load(ordering: .relaxed)
        guard sequence <= last else { return }
        let read = { @Sendable [directory, files = current.state.files] take in
            try Replay.run(directory, sequence...last, lock: files, take)
        }
        try ReadAhead.run(read: read, body)
    }

    /// Appends a batch as one transaction.
    ///
    /// - Throws: `SQLiteJournalError`. A later call may succeed, for example when a full disk has space again.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        guard let writer = current?.writer else { throw SQLiteJournalError.notOpen }
        let sequence = try writer.append(commands, at: time)
        if hasUnreported { forgetFindings() }
        return sequence
    }

    /// Removes the file of findings once they are reported.
    private func forgetFindings() {
        guard options.isReported() else { return }
        do throws(SQLiteJournalError) {
            try UnreportedFindings(directory: directory).remove()
            hasUnreported = false
        } catch {
            logger.warning(
                "cannot remove the findings of the start; the next start reports them again",
                metadata: ["error": "\(error)"])
        }
    }

    /// Writes the time to the commit mark.
    public func record(time: Int64) {
        current?.writer.record(time: time)
    }

    /// The time in the commit mark when the journal was opened.
    public var recordedTime: Int64 { current?.recordedTime ?? 0 }

    /// Closes the journal: the active segment is sealed, and another process may open the directory. The archive must not
    /// be used any more.
    ///
    /// - Throws: `SQLiteJournalError`; what was committed is safe nevertheless.
    public func close() throws {
        guard let open = current.take() else { return }
        if hasUnreported { forgetFindings() }
        open.state.snapshots.hold { open.state.isOpen.store(false, ordering: .releasing) }
        open.maintenance.sealInherited()
        try open.writer.close()
    }

    /// 1024 if each commit waits for the disk, so that under load commands share the wait; otherwise 256, which share a
    /// transaction.
    public var preferredBatch: Int { durability == .full ? 1024 : 256 }

    /// The archive to which another thread writes snapshots; `nil` unless the journal is open.
    public var archive: (any JournalArchive)? { current?.archive }

    /// The size of the files in the data directory, in bytes; `nil` if they cannot be listed.
    public var storedBytes: Int? {
        guard let names = try? Files.names(in: directory.path) else { return nil }
        return names.reduce(0) { $0 + Files.size(directory.path + "/" + $1) }
    }

    /// Whether appending may wait for a disk: always, since each commit writes.
    public var commitWait: CommitWait { .disk }

    /// Whether the next batch begins a segment: all of the previous one is written to disk before.
    public var isNextAppendLong: Bool { current?.state.isSegmentDue.load(ordering: .relaxed) ?? false }

    /// Whether enough was committed since the newest snapshot to make a new one: as much as the options say, and at least
    /// the size of that snapshot, so that the cost of snapshots is proportional to what is committed.
    public var isSnapshotDue: Bool { isSnapshotDue(after: 1) }

    /// Whether three times as much was committed. This bounds the disk space, and what a restart has to replay, under a
    /// load without pauses.
    public var isSnapshotOverdue: Bool { isSnapshotDue(after: 3) }

    private func isSnapshotDue(after times: Int) -> Bool {
        guard let state = current?.state else { return false }
        let since = state.appended.load(ordering: .relaxed) - state.appendedAtSnapshot.load(ordering: .relaxed)
        return since >= times * max(options.snapshotBytes, state.snapshotSize.load(ordering: .relaxed))
    }
}
