import Logging
import PopupJournal

/// The opening of a data directory whose lock is held: scan, repair, and the beginning of a new epoch.
struct Opener {
    let directory: DataDirectory
    let isFull: Bool
    let options: SQLiteJournal.Options
    let logger: Logger

    /// The maximum number of scans after repairs. Each reads the segments again that were repaired before it.
    private static let maxRounds = 8

    struct Opened {
        var opening: JournalOpening
        var state: JournalState
        var maintenance: SegmentMaintenance
        var writer: SegmentWriter
        var snapshot: JournalSnapshot?
        /// The time in the commit mark; 0 if it is not known.
        var recordedTime: Int64
    }

    func open(_ lock: DirectoryLock) throws -> Opened {
        let repair = try JournalRepair(directory, logger: logger)
        let unreported = UnreportedFindings(directory: directory)
        var before = try unreported.read()
        let found = try directory.contents() ?? DataDirectory.Contents()
        if !found.foreign.isEmpty {
            before = before.joined(withUnreported: found.foreignFindings, intact: RangeSet())
            try unreported.write(before)
            for (name, _) in found.foreign { try repair.quarantine(name) }
        }
        let contents = try repair.cleanUp(found)
        let isNew =
            contents.segments.isEmpty && contents.snapshots.isEmpty && found.foreign.isEmpty
            && Files.size(directory.mark) == 0
        var scan = try RecoveryScan(
            directory, contents, mark: isNew ? .success(CommitMark.Content()) : CommitMark.result(directory),
            depth: .restart)
        let now = options.now()
        let opening = Opening(epoch: max(scan.lastEpoch + 1, UInt64(max(now, 1))), time: now)

        // Before anything is moved: if the process is killed from here on, the next opening reports the findings.
        let findings = scan.findings(withUnreported: before)
        if findings != before { try unreported.write(findings) }
        for sequence in scan.damagedSnapshots { try repair.quarantine(DataDirectory.snapshotName(sequence)) }
        for name in contents.orphans { try repair.quarantine(name) }
        try repairDirectory(&scan, contents, repair, unreported, before)

        // Before the first segment: from then on a missing mark is damage.
        let mark = try CommitMark(directory)
        if isNew {
            if let error = mark.write(CommitMark.Content()) { throw error }
            try mark.synchronize()
        }
        let segment = try activeSegment(scan, opening)
        let time = scan.mark?.time ?? 0
        if let error = mark.write(CommitMark.Content(sequence: scan.lastSequence, epoch: opening.epoch, time: time)) {
            throw error
        }
        try mark.synchronize()

        var reported = RangeSet<UInt64>()
        for range in scan.missing + scan.segments.flatMap(\.metadata.missing) { reported.insert(range) }
        let state = JournalState(
            directory: directory, epoch: opening.epoch, committed: scan.lastSequence, reportedMissing: reported,
            appended: scan.segments.reduce(0) { $0 + $1.size }, snapshotSize: scan.snapshot?.state.count ?? 0,
            trustsTimes: !options.waitsForMaintenance)
        try state.presence.expect(directory.contents(), lock)
        let maintenance = SegmentMaintenance(
            state, opening: opening, missing: scan.missing,
            inherited: contents.segments.filter { $0 != segment.first }.map(directory.segment),
            reservedBytes: isFull ? min(options.segmentBytes, WAL.maxReserved) : 0,
            isSynchronous: options.waitsForMaintenance, logger: logger
        )
        return Opened(
            opening: JournalOpening(
                epoch: opening.epoch, lastSequence: scan.lastSequence,
                findings: scan.findings(withUnreported: before)),
            state: state, maintenance: maintenance,
            writer: SegmentWriter(
                state, maintenance: maintenance, mark: mark, segment: segment, isFull: isFull,
                segmentBytes: options.segmentBytes, time: time, logger: logger),
            snapshot: scan.snapshot, recordedTime: time)
    }

    /// Salvages the damaged segments. A segment of which nothing is left is removed. Then the one before it may contain
    /// its batches: it is scanned, and salvaged as well.
    private func repairDirectory(
        _ scan: inout RecoveryScan, _ contents: DataDirectory.Contents, _ repair: JournalRepair,
        _ unreported: UnreportedFindings,
        _ before: [JournalFinding]
    ) throws {
        var salvaged: Set<UInt64> = []
        var unsound = scan.unsound
        for _ in 0..<Self.maxRounds where !unsound.isEmpty {
            for segment in unsound {
                salvaged.insert(segment.first)
                try repair.salvage(segment, through: min(segment.range.upperBound, scan.lastSequence))
            }
            let repaired = try RecoveryScan(
                directory, try directory.contents() ?? contents, mark: CommitMark.result(directory), after: scan,
                salvaged: Set(unsound.map(\.first)))
            unsound = repaired.unsound.filter { !$0.isIntact && !salvaged.contains($0.first) }
            scan.merge(repaired, with: unsound)
            try unreported.write(scan.findings(withUnreported: before))
        }
    }

    /// Returns the last segment if it is intact and small enough, or else a new one. The epoch and the missing batches
    /// are on disk when this returns.
    private func activeSegment(_ scan: RecoveryScan, _ opening: Opening) throws -> Segment {
        if let last = scan.segments.last, !scan.unsound.contains(where: { $0.first == last.first }) {
            let path = directory.segment(last.first)
            if Files.size(path) + WAL.usedBytes(of: path) < options.segmentBytes {
                do {
                    return try Segment(
                        first: last.first, path: path, opening: opening, missing: scan.missing, isFull: isFull)
                } catch SQLiteJournalError.damaged(_, let reason) {
                    logger.warning(
                        "cannot continue a segment; a new one begins",
                        metadata: ["file": "\(path)", "reason": "\(reason)"])
                }
            }
        }
        let first = scan.lastSequence + 1
        let path = directory.segment(first)
        try Segment.make(directory.beginning, openings: [])
        try Segment.remove(path)
        try Files.rename(directory.beginning, to: path)
        try Files.synchronize(directory.path)
        return try Segment(first: first, path: path, opening: opening, missing: scan.missing, isFull: isFull)
    }
}
