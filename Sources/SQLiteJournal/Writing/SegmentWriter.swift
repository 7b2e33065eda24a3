import Checksums
import Logging
import Synchronization
import SystemCalls

/// The writer of the active segment. It begins the next segment when the active one is large enough, or cannot be
/// written any more.
final class SegmentWriter {
    /// The size of the WAL, in bytes, at which a segment ends whose WAL grows, once the next one is prepared with a WAL that
    /// does not: the first segment of most openings.
    private static let growingBytes = 4 << 20

    private let state: JournalState
    private let maintenance: SegmentMaintenance
    private let mark: CommitMark
    private let isFull: Bool
    private let segmentBytes: Int
    private let logger: Logger
    private var segment: Segment {
        didSet { setEnd() }
    }
    private var lastSequence: UInt64
    private var lastTime: Int64
    // An upper estimate of the size of the WAL, in bytes.
    private var walSize = 0 {
        didSet { recordSegmentDue() }
    }
    // The size at which the segment ends if the next one is prepared; it ends at `segmentBytes` in any case.
    private var endBytes = 0
    // The error of the last attempt to write the mark.
    private var markError: SQLiteJournalError?
    // Whether a write or fsync failed. Then the content of the file on disk is unknown, and nothing is appended to it.
    private var isBroken = false {
        didSet { recordSegmentDue() }
    }

    init(
        _ state: JournalState, maintenance: SegmentMaintenance, mark: CommitMark, segment: Segment, isFull: Bool,
        segmentBytes: Int,
        time: Int64, logger: Logger
    ) {
        self.state = state
        self.maintenance = maintenance
        self.mark = mark
        self.segment = segment
        self.isFull = isFull
        self.segmentBytes = segmentBytes
        self.logger = logger
        lastTime = time
        lastSequence = state.committed.load(ordering: .relaxed)
        state.presence.beginWriting(segment.first)
        walSize = segment.walSize
        // Observers are not called while it is initialized.
        setEnd()
        recordSegmentDue()
        if walSize >= endBytes / 2 { maintenance.prepare() }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        // As it was announced: the next segment may have been prepared since, and this thread may be one that must not wait.
        if state.isSegmentDue.load(ordering: .relaxed) { try makeRoom() }
        let sequence = lastSequence + 1
        try commands.withUnsafeBytes { commands in
            let checksum = CRC32C.checksum(sequence: sequence, time: time, commands: commands)
            do {
                try segment.append(sequence: sequence, time: time, checksum: checksum, commands: commands)
            } catch {
                // After a full disk the same file is used: the next transaction overwrites what this one has written.
                let reason = SQLiteJournalError.of(error, path: segment.path)
                if case SQLiteJournalError.full = reason {} else { isBroken = true }
                throw reason
            }
        }
        do {
            try state.presence.check()
        } catch {
            // The file of the batch was removed: the sequence is used again, in the next segment.
            isBroken = true
            throw error
        }
        lastSequence = sequence
        lastTime = max(lastTime, time)
        state.appended.add(commands.byteCount, ordering: .relaxed)
        state.committed.store(sequence, ordering: .releasing)
        writeMark()
        // Each page with the header of its frame, one more for the beginning of the row, and one for the interior of
        // the tree.
        let before = walSize
        walSize += (commands.byteCount / Segment.pageSize + 3) * WAL.frameSize
        prepareNext(after: before)
        return sequence
    }

    /// Lets the next segment come into being as this one fills up: its WAL during the first half, in equal steps, and its
    /// database in the middle. An append meets one step at the disk, or some more after a seal, which they wait for.
    private func prepareNext(after before: Int) {
        let half = endBytes / 2
        guard before < half else { return }
        guard walSize < half else { return maintenance.prepare() }
        // The WAL of a segment that ends early is written at once.
        guard endBytes == segmentBytes else { return }
        let step = half / max(maintenance.reservedBytes / WALReserve.pieceBytes, 1)
        guard step > 0, walSize / step > before / step else { return }
        maintenance.reserve(upTo: walSize / step * WALReserve.pieceBytes)
    }

    /// Writes the time to the commit mark, if it is later than the last one.
    func record(time: Int64) {
        guard time > lastTime else { return }
        lastTime = time
        writeMark()
    }

    /// Seals the active segment, waits for all maintenance, and removes what it has prepared.
    func close() throws {
        maintenance.seal(segment)
        try maintenance.finish()
        try mark.synchronize()
    }

    /// Whether the next batch begins a segment.
    private var isSegmentDue: Bool { isBroken || isLarge }

    private var isLarge: Bool { walSize >= segmentBytes || walSize >= endBytes && maintenance.hasReservedWAL }

    private func setEnd() {
        let grows = segment.isGrowing(below: maintenance.reservedBytes)
        endBytes = grows ? min(Self.growingBytes, segmentBytes) : segmentBytes
    }

    private func recordSegmentDue() { state.isSegmentDue.store(isSegmentDue, ordering: .relaxed) }

    private func makeRoom() throws {
        if !isBroken {
            // The estimate may be too high.
            walSize = segment.walSize
            guard isLarge else { return }
        }
        do {
            try beginSegment()
        } catch {
            guard !isBroken else { throw error }
            logger.warning("cannot begin the next segment; the current one continues", metadata: ["error": "\(error)"])
            walSize = segmentBytes / 2
            maintenance.dropReserve()
        }
    }

    private func beginSegment() throws {
        try state.presence.check()
        let first = lastSequence + 1
        guard first > segment.first else {
            // Nothing was committed to the active segment: it is replaced.
            segment.close()
            // Also if only a part of this succeeds.
            defer { state.presence.beginWriting(first) }
            try maintenance.begin(segment.path)
            // Otherwise a power failure may bring back the replaced file, without batches that follow.
            if isFull { try Files.synchronize(state.directory.path) }
            segment = try Segment(first: first, path: segment.path, opening: nil, isFull: isFull)
            (isBroken, walSize) = (false, 0)
            return
        }
        let path = state.directory.segment(first)
        try maintenance.begin(path)
        let next: Segment
        do {
            // A power failure must not keep batches of the new segment and lose earlier ones.
            if isFull {
                try Files.synchronize(state.directory.path)
            } else if !isBroken {
                try Files.synchronize(segment.path + WAL.suffix)
            }
            next = try Segment(first: first, path: path, opening: nil, isFull: isFull)
        } catch {
            try? Segment.remove(path)
            throw error
        }
        maintenance.seal(segment)
        segment = next
        state.presence.beginWriting(segment.first)
        (isBroken, walSize) = (false, 0)
    }

    private func writeMark() {
        let error = mark.write(CommitMark.Content(sequence: lastSequence, epoch: state.epoch, time: lastTime))
        guard error != markError else { return }
        markError = error
        if let error {
            // The batch is committed nevertheless.
            logger.warning(
                "cannot write the commit mark; a truncated journal would not be noticed",
                metadata: ["error": "\(error)"])
        }
    }
}
