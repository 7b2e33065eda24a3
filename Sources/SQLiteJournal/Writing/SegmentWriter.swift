import Checksums
import Logging
import Synchronization
import SystemCalls

/// Appends batches to the active segment, and begins the next when it is large enough or can't be written any more.
final class SegmentWriter {
    private let state: JournalState
    private let maintenance: SegmentMaintenance
    private let mark: CommitMark
    private let isFull: Bool
    private let segmentBytes: Int
    private let logger: Logger
    private var segment: Segment
    private var lastSequence: UInt64
    private var lastTime: Int64
    // In bytes: the WAL's size, or more.
    private var walSize = 0
    // Why the mark couldn't be written the last time.
    private var markError: SQLiteJournalError?
    // After a failed write or fsync nobody knows what of the file is on disk: nothing is appended after it.
    private var isBroken = false

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
        if walSize >= segmentBytes / 2 { maintenance.prepare() }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        if isBroken || walSize >= segmentBytes { try makeRoom() }
        let sequence = lastSequence + 1
        try commands.withUnsafeBytes { commands in
            let checksum = CRC32C.checksum(sequence: sequence, time: time, commands: commands)
            do {
                try segment.append(sequence: sequence, time: time, checksum: checksum, commands: commands)
            } catch {
                // A full disk only wants room: whatever the transaction wrote is written over by the next.
                let reason = SQLiteJournalError.of(error, path: segment.path)
                if case SQLiteJournalError.full = reason {} else { isBroken = true }
                throw reason
            }
        }
        do {
            try state.presence.check()
        } catch {
            // It is in a file that nobody would find: the sequence is given again, in the next segment.
            isBroken = true
            throw error
        }
        lastSequence = sequence
        lastTime = max(lastTime, time)
        state.appended.add(commands.byteCount, ordering: .relaxed)
        state.committed.store(sequence, ordering: .releasing)
        writeMark()
        let before = walSize
        // Each page of it with its frame's header, one more for the row's place, one for the tree above.
        walSize += (commands.byteCount / Segment.pageSize + 3) * (Segment.pageSize + 24)
        if before < segmentBytes / 2, walSize >= segmentBytes / 2 { maintenance.prepare() }
        return sequence
    }

    /// Notes that time has passed until then.
    func note(time: Int64) {
        guard time > lastTime else { return }
        lastTime = time
        writeMark()
    }

    /// Seals the active segment and waits for all maintenance.
    func close() throws {
        maintenance.seal(segment)
        maintenance.finish()
        // In the place of the folder may be another broker's.
        try state.presence.checkFolder()
        try Segment.remove(state.folder.prepared)
        try mark.synchronize()
    }

    private func makeRoom() throws {
        if !isBroken {
            // The estimate is on the safe side.
            walSize = segment.walSize
            guard walSize >= segmentBytes else { return }
        }
        do {
            try beginSegment()
        } catch {
            guard !isBroken else { throw error }
            logger.warning("cannot begin the next segment; the current one continues", metadata: ["error": "\(error)"])
            walSize = segmentBytes / 2
        }
    }

    private func beginSegment() throws {
        try state.presence.check()
        let first = lastSequence + 1
        guard first > segment.first else {
            // Nothing was ever committed to it.
            segment.close()
            // Also when only a part of it can be done.
            defer { state.presence.beginWriting(first) }
            try maintenance.begin(segment.path)
            segment = try Segment(first: first, path: segment.path, opening: nil, isFull: isFull)
            (isBroken, walSize) = (false, 0)
            return
        }
        let path = state.folder.segment(first)
        try maintenance.begin(path)
        let next: Segment
        do {
            // A power cut may take the end of what isn't synchronized, but nothing before what it leaves.
            if isFull {
                try Files.synchronize(state.folder.path)
            } else if !isBroken {
                try Files.synchronize(segment.path + "-wal")
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
            // The batch is committed all the same.
            logger.warning(
                "cannot write the commit mark; a truncated journal would not be noticed",
                metadata: ["error": "\(error)"])
        }
    }
}
