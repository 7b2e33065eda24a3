import Logging
import PopupJournal

/// Opens a folder whose lock is held.
struct Opener {
    let folder: DataFolder
    let isFull: Bool
    let options: SQLiteJournal.Options
    let logger: Logger

    /// How often what was mended is looked at anew: each time reads the segments again.
    private static let mostRounds = 8

    struct Opened {
        var opening: JournalOpening
        var state: JournalState
        var writer: SegmentWriter
        var snapshot: JournalSnapshot?
        /// As the mark has it; 0: not told.
        var notedTime: Int64
    }

    func open(_ lock: FolderLock) throws -> Opened {
        let mending = try Mending(folder, logger: logger)
        let untold = UntoldFindings(folder: folder)
        var before = try untold.read()
        let found = try folder.contents() ?? DataFolder.Contents()
        if !found.foreign.isEmpty {
            before = before.joined(withUntold: found.foreignFindings, whole: RangeSet())
            try untold.write(before)
            for (name, _) in found.foreign { try mending.putAside(name) }
        }
        let contents = try mending.tidy(found)
        let isNew =
            contents.segments.isEmpty && contents.snapshots.isEmpty && found.foreign.isEmpty
            && Files.size(folder.mark) == 0
        var survey = try Survey(
            folder, contents, mark: isNew ? .success(Mark.Content()) : Mark.result(folder), depth: .restart)
        let now = options.now()
        let opening = Opening(epoch: max(survey.lastEpoch + 1, UInt64(max(now, 1))), time: now)

        // Before anything is moved: a process that is killed from here on leaves word of it.
        let findings = survey.findings(withUntold: before)
        if findings != before { try untold.write(findings) }
        for sequence in survey.damagedSnapshots { try mending.putAside(DataFolder.snapshotName(sequence)) }
        for name in contents.orphans { try mending.putAside(name) }
        try mend(&survey, contents, mending, untold, before)

        // Before the first segment: from then on a mark that is missing tells of damage.
        let mark = try Mark(folder)
        if isNew, let error = mark.write(Mark.Content()) { throw error }
        try mark.synchronize()
        let segment = try activeSegment(survey, opening)
        let time = survey.mark?.time ?? 0
        if let error = mark.write(Mark.Content(sequence: survey.lastSequence, epoch: opening.epoch, time: time)) {
            throw error
        }
        try mark.synchronize()

        var told = RangeSet<UInt64>()
        for range in survey.missing + survey.segments.flatMap(\.notes.missing) { told.insert(range) }
        let state = JournalState(
            folder: folder, epoch: opening.epoch, committed: survey.lastSequence, toldMissing: told,
            appended: survey.segments.reduce(0) { $0 + $1.size }, snapshotSize: survey.snapshot?.state.count ?? 0)
        try state.presence.expect(folder.contents(), lock)
        let upkeep = Upkeep(
            state, opening: opening, missing: survey.missing, isWaitedFor: options.waitsForUpkeep, logger: logger)
        for first in contents.segments where first != segment.first { upkeep.seal(left: folder.segment(first)) }
        return Opened(
            opening: JournalOpening(
                epoch: opening.epoch, lastSequence: survey.lastSequence,
                findings: survey.findings(withUntold: before)),
            state: state,
            writer: SegmentWriter(
                state, upkeep: upkeep, mark: mark, segment: segment, isFull: isFull,
                segmentBytes: options.segmentBytes, time: time, logger: logger),
            snapshot: survey.snapshot, notedTime: time)
    }

    /// Salvages what is unsound. A segment of which nothing is left goes, and the one before it may hold what it should
    /// have held: that one is looked at then, and salvaged as well.
    private func mend(
        _ survey: inout Survey, _ contents: DataFolder.Contents, _ mending: Mending, _ untold: UntoldFindings,
        _ before: [JournalFinding]
    ) throws {
        var salvaged: Set<UInt64> = []
        var unsound = survey.unsound
        for _ in 0..<Self.mostRounds where !unsound.isEmpty {
            for segment in unsound {
                salvaged.insert(segment.first)
                try mending.salvage(segment.first, through: min(segment.range.upperBound, survey.lastSequence))
            }
            let mended = try Survey(
                folder, try folder.contents() ?? contents, mark: Mark.result(folder), depth: .restart)
            unsound = mended.unsound.filter { !$0.isWhole && !salvaged.contains($0.first) }
            survey.take(mended, with: unsound)
            try untold.write(survey.findings(withUntold: before))
        }
    }

    /// The last segment if it is sound and small, or else a new one. The epoch is on disk when this returns, and so is
    /// what is missing.
    private func activeSegment(_ survey: Survey, _ opening: Opening) throws -> Segment {
        if let last = survey.segments.last, !survey.unsound.contains(where: { $0.first == last.first }) {
            let path = folder.segment(last.first)
            if Files.size(path) + Files.size(path + "-wal") < options.segmentBytes {
                do {
                    return try Segment(
                        first: last.first, path: path, opening: opening, missing: survey.missing, isFull: isFull)
                } catch SQLiteJournalError.damaged(_, let reason) {
                    logger.warning("a segment can't go on", metadata: ["file": "\(path)", "reason": "\(reason)"])
                }
            }
        }
        let first = survey.lastSequence + 1
        let path = folder.segment(first)
        try Segment.make(folder.beginning, openings: [])
        try Segment.remove(path)
        try Files.rename(folder.beginning, to: path)
        try Files.synchronize(folder.path)
        return try Segment(first: first, path: path, opening: opening, missing: survey.missing, isFull: isFull)
    }
}
