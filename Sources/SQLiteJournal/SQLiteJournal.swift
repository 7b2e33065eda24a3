public import Logging
public import PopupJournal
import Synchronization

/// The journal on disk: a folder of segments, each a SQLite database in WAL mode with one row a committed batch, and of
/// snapshots.
///
/// One thread at a time appends. Each append is one transaction at the end of the active segment's WAL; nothing else is
/// done with it but, every 64 MiB, to begin the next segment in a file that was made ahead. What remains (making that
/// file, moving a finished segment's WAL into its database) is done by a queue of the journal's own.
///
/// Opening looks at everything that a restart needs: all that is not as it was written is told as a `JournalFinding`
/// and moved into the folder `damaged`; what is whole is replayed, and sequences go on after the last that was ever
/// committed.
public final class SQLiteJournal: Journal {
    /// When a batch counts as committed.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// When it is on disk: it outlives the process and the machine.
        case full
        /// When it is handed to the system: it outlives the process; a power cut may take the last moments.
        case normal
    }

    /// What may be set; the defaults serve everyone who isn't testing.
    public struct Options: Sendable {
        /// In bytes: how large a segment becomes on disk before the next begins.
        public var segmentBytes: Int
        /// In bytes: commands since the newest snapshot from which on a new one is due; if that one was larger, its
        /// size counts.
        public var snapshotBytes: Int
        /// The wall clock in ms since 1970: an epoch is at least that.
        public var now: @Sendable () -> Int64
        /// Whether what an opening found has reached those whom it was told: until then it is kept in the folder, and
        /// told by the next opening as well. Asked after a commit, and at the end; must be quick. Always, by default.
        public var isTold: @Sendable () -> Bool = { true }
        /// Appending waits for what is done beside it, for runs that must be the same each time.
        var waitsForUpkeep = false

        /// 64 MiB each, the system's clock.
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
        let lock: FolderLock
        let state: JournalState
        let writer: SegmentWriter
        let archive: SQLiteArchive
        /// Read while opening, handed out once.
        var snapshot: JournalSnapshot?
        let notedTime: Int64
    }

    /// Where it is.
    public let folder: DataDirectory
    /// When a batch counts as committed.
    public let durability: Durability
    private let options: Options
    private let logger: Logger
    private var current: Open?
    /// What the opening found is in a file until it is told.
    private var hasUntold = false

    /// A journal in a folder; nothing is looked at before it is opened.
    public init(folder: DataDirectory, durability: Durability, options: Options = Options(), logger: Logger) {
        self.folder = folder
        self.durability = durability
        self.options = options
        self.logger = logger
    }

    /// Opens it; the folder is made if it isn't there. Takes as long as reading the newest snapshot and the batches
    /// since.
    ///
    /// - Throws: `JournalIsOpen`, or `SQLiteJournalError` when another process has the folder open, when it is no data
    ///   folder, was written by a later version, or can't be read and written. Nothing in it is changed then but what
    ///   an earlier process had begun.
    public func open() throws -> JournalOpening {
        guard current == nil else { throw JournalIsOpen() }
        try Files.makeFolder(folder.path)
        // Other programs have files called `lock`, too.
        if let contents = try folder.contents(), !contents.holdsBatches, let entry = contents.others.first {
            throw SQLiteJournalError.notADataFolder(folder: folder.path, entry: entry)
        }
        let lock = try FolderLock(folder)
        let opener = Opener(folder: folder, isFull: durability == .full, options: options, logger: logger)
        let opened = try opener.open(lock)
        current = Open(
            lock: lock, state: opened.state, writer: opened.writer,
            archive: SQLiteArchive(opened.state, logger: logger), snapshot: opened.snapshot,
            notedTime: opened.notedTime)
        hasUntold = !opened.opening.findings.isEmpty
        return opened.opening
    }

    /// The newest snapshot that is whole. The first call after the opening gives what that has read.
    ///
    /// - Throws: `SQLiteJournalError`.
    public func newestSnapshot() throws -> JournalSnapshot? {
        guard let archive = current?.archive else { throw SQLiteJournalError.notOpen }
        if let snapshot = current?.snapshot.take() { return snapshot }
        return try archive.newestSnapshot()
    }

    /// Calls `body` with each batch from `sequence` on that is whole, oldest first.
    ///
    /// - Throws: `SQLiteJournalError`, and what `body` throws.
    public func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        guard let current else { throw SQLiteJournalError.notOpen }
        let last = current.state.committed.load(ordering: .relaxed)
        guard sequence <= last else { return }
        try Replay.run(folder, sequence...last, lock: current.state.files, body)
    }

    /// Appends a batch as one transaction.
    ///
    /// - Throws: `SQLiteJournalError`; a later call may succeed, for instance when a full disk has room again.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        guard let writer = current?.writer else { throw SQLiteJournalError.notOpen }
        let sequence = try writer.append(commands, at: time)
        if hasUntold { forgetFindings() }
        return sequence
    }

    /// Whoever goes on after the opening has told what it found; whether anybody was reached is another question.
    private func forgetFindings() {
        guard options.isTold() else { return }
        do throws(SQLiteJournalError) {
            try UntoldFindings(folder: folder).remove()
            hasUntold = false
        } catch {
            logger.warning("what was found at the opening will be told again", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the time into the mark.
    public func note(time: Int64) {
        current?.writer.note(time: time)
    }

    /// As the mark had it when the journal was opened.
    public var notedTime: Int64 { current?.notedTime ?? 0 }

    /// Closes it: the active segment is sealed, and another process may open the folder. The archive isn't used any
    /// more.
    ///
    /// - Throws: `SQLiteJournalError`; what was committed is there all the same.
    public func close() throws {
        guard let open = current.take() else { return }
        if hasUntold { forgetFindings() }
        open.state.snapshots.hold { open.state.isOpen.store(false, ordering: .releasing) }
        try open.writer.close()
    }

    /// 1024 where each commit waits for the disk: under load they share the wait. 256 otherwise: they share a
    /// transaction.
    public var preferredBatch: Int { durability == .full ? 1024 : 256 }

    /// Where another thread makes snapshots; `nil` unless the journal is open.
    public var archive: (any JournalArchive)? { current?.archive }

    /// Yes: a commit writes, and waits for the disk if it has to.
    public var waitsForDisk: Bool { true }

    /// So much was committed since the newest snapshot that a new one pays: as much as the options say, and as that
    /// snapshot's size, so that the cost of snapshots stays in proportion to what is committed.
    public var isSnapshotDue: Bool { isSnapshotDue(after: 1) }

    /// Three times as much: that bounds what is on disk, and what a restart has to replay, under a load without pauses.
    public var isSnapshotOverdue: Bool { isSnapshotDue(after: 3) }

    private func isSnapshotDue(after times: Int) -> Bool {
        guard let state = current?.state else { return false }
        let since = state.appended.load(ordering: .relaxed) - state.appendedAtSnapshot.load(ordering: .relaxed)
        return since >= times * max(options.snapshotBytes, state.snapshotSize.load(ordering: .relaxed))
    }
}
