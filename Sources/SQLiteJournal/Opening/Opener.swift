import Logging
import PopupJournal

/// Opens a folder whose lock is held.
struct Opener {
    let folder: DataDirectory
    let isFull: Bool
    let options: SQLiteJournal.Options
    let logger: Logger

    /// How often what was repaired is looked at anew: each time reads the segments again.
    private static let mostRounds = 8

    struct Opened {
        var opening: JournalOpening
        var state: JournalState
        var maintenance: SegmentMaintenance
        var writer: SegmentWriter
        var snapshot: JournalSnapshot?
        /// As the mark has it; 0: not told.
        var notedTime: Int64
    }

    func open(_ lock: FolderLock) throws -> Opened {
        let repair = try JournalRepair(folder, logger: logger)
        let untold = UntoldFindings(folder: folder)
        var before = try untold.read()
        let found = try folder.contents() ?? DataDirectory.Contents()
        if !found.foreign.isEmpty {
            before = before.joined(withUntold: found.foreignFindings, whole: RangeSet())
            try untold.write(before)
            for (name, _) in found.foreign { try repair.quarantine(name) }
        }
        let contents = try repair.tidy(found)
        let isNew =
            contents.segments.isEmpty && contents.snapshots.isEmpty && found.foreign.isEmpty
            && Files.size(folder.mark) == 0
        var scan = try RecoveryScan(
            folder, contents, mark: isNew ? .success(CommitMark.Content()) : CommitMark.result(folder), depth: .restart)
        let now = options.now()
        let opening = Opening(epoch: max(scan.lastEpoch + 1, UInt64(max(now, 1))), time: now)

        // Before anything is moved: a process that is killed from here on leaves word of it.
        let findings = scan.findings(withUntold: before)
        if findings != before { try untold.write(findings) }
        for sequence in scan.damagedSnapshots { try repair.quarantine(DataDirectory.snapshotName(sequence)) }
        for name in contents.orphans { try repair.quarantine(name) }
        try repairDirectory(&scan, contents, repair, untold, before)

        // Before the first segment: from then on a mark that is missing tells of damage.
        let mark = try CommitMark(folder)
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

        var told = RangeSet<UInt64>()
        for range in scan.missing + scan.segments.flatMap(\.notes.missing) { told.insert(range) }
        let state = JournalState(
            folder: folder, epoch: opening.epoch, committed: scan.lastSequence, toldMissing: told,
            appended: scan.segments.reduce(0) { $0 + $1.size }, snapshotSize: scan.snapshot?.state.count ?? 0,
            trustsTimes: !options.waitsForUpkeep)
        try state.presence.expect(folder.contents(), lock)
        let maintenance = SegmentMaintenance(
            state, opening: opening, missing: scan.missing,
            left: contents.segments.filter { $0 != segment.first }.map(folder.segment),
            isWaitedFor: options.waitsForUpkeep, logger: logger)
        return Opened(
            opening: JournalOpening(
                epoch: opening.epoch, lastSequence: scan.lastSequence,
                findings: scan.findings(withUntold: before)),
            state: state, maintenance: maintenance,
            writer: SegmentWriter(
                state, maintenance: maintenance, mark: mark, segment: segment, isFull: isFull,
                segmentBytes: options.segmentBytes, time: time, logger: logger),
            snapshot: scan.snapshot, notedTime: time)
    }

    /// Salvages what is unsound. A segment of which nothing is left goes, and the one before it may hold what it should
    /// have held: that one is looked at then, and salvaged as well.
    private func repairDirectory(
        _ scan: inout RecoveryScan, _ contents: DataDirectory.Contents, _ repair: JournalRepair,
        _ untold: UntoldFindings,
        _ before: [JournalFinding]
    ) throws {
        var salvaged: Set<UInt64> = []
        var unsound = scan.unsound
        for _ in 0..<Self.mostRounds where !unsound.isEmpty {
            for segment in unsound {
                salvaged.insert(segment.first)
                try repair.salvage(segment.first, through: min(segment.range.upperBound, scan.lastSequence))
            }
            let repaired = try RecoveryScan(
                folder, try folder.contents() ?? contents, mark: CommitMark.result(folder), depth: .restart)
            unsound = repaired.unsound.filter { !$0.isWhole && !salvaged.contains($0.first) }
            scan.take(repaired, with: unsound)
            try untold.write(scan.findings(withUntold: before))
        }
    }

    /// The last segment if it is sound and small, or else a new one. The epoch is on disk when this returns, and so is
    /// what is missing.
    private func activeSegment(_ scan: RecoveryScan, _ opening: Opening) throws -> Segment {
        if let last = scan.segments.last, !scan.unsound.contains(where: { $0.first == last.first }) {
            let path = folder.segment(last.first)
            if Files.size(path) + Files.size(path + "-wal") < options.segmentBytes {
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
        let path = folder.segment(first)
        try Segment.make(folder.beginning, openings: [])
        try Segment.remove(path)
        try Files.rename(folder.beginning, to: path)
        try Files.synchronize(folder.path)
        return try Segment(first: first, path: path, opening: opening, missing: scan.missing, isFull: isFull)
    }
}
