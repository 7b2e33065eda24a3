import PopupJournal

/// The result of reading a data directory, for opening and for inspecting a journal. It changes nothing.
struct RecoveryScan {
    /// The extent of a scan.
    enum Depth {
        /// The newest intact snapshot and the batches since: what a restart needs.
        case restart
        /// All files; the content of snapshots is checked, but not kept.
        case everything
    }

    /// The newest intact snapshot.
    var snapshot: JournalSnapshot?
    /// The intact snapshots that were read, ascending.
    var snapshots: [SnapshotFile] = []
    /// The sequences of the damaged snapshots.
    var damagedSnapshots: [UInt64] = []
    /// The segments that were read: those with batches after the snapshot, and the last one; ascending.
    var segments: [Examination] = []
    /// The content of the commit mark; `nil` if it cannot be read.
    var mark: CommitMark.Content?
    /// The greatest sequence of a batch that any of the files shows.
    var lastSequence: UInt64 = 0
    /// The greatest epoch that any of the files shows.
    var lastEpoch: UInt64 = 0
    /// Batches that are missing or damaged, and that no earlier opening has reported.
    var missing: [ClosedRange<UInt64>] = []
    /// Segments to salvage: damaged ones, and those that lack batches.
    var unsound: [Examination] = []
    var findings: [JournalFinding] = []
    /// The sequence up to which no batch is needed.
    private var base: UInt64 = 0

    /// Reads a directory.
    ///
    /// - Parameters:
    ///   - contents: The entries of the directory.
    ///   - mark: The content of its mark, read before the entries were listed.
    ///   - depth: The extent of the scan.
    init(
        _ directory: DataDirectory, _ contents: DataDirectory.Contents,
        mark: Result<CommitMark.Content, SQLiteJournalError>,
        depth: Depth
    ) throws {
        try readSnapshots(directory, contents.snapshots, depth)
        try readMark(mark)
        try readSegments(directory, contents.segments, depth)
        findings += contents.orphans.map { .damagedFile(file: $0, reason: "the segment that it belongs to is missing") }
        findings += contents.foreignFindings
        findMissing()
    }

    /// Reads a directory after a repair, as far as it has changed since an earlier scan for a restart: the salvaged segments,
    /// and those whose range has changed because the next segment was removed.
    ///
    /// - Parameters:
    ///   - contents: The entries of the directory.
    ///   - mark: The content of its mark.
    ///   - earlier: The earlier scan.
    ///   - salvaged: The first sequences of the segments that were salvaged since.
    init(
        _ directory: DataDirectory, _ contents: DataDirectory.Contents,
        mark: Result<CommitMark.Content, SQLiteJournalError>, after earlier: RecoveryScan, salvaged: Set<UInt64>
    ) throws {
        (snapshot, snapshots) = (earlier.snapshot, earlier.snapshots)
        recordSnapshots(.restart)
        try readMark(mark)
        try readSegments(
            directory, contents.segments, .restart, known: earlier.segments.filter { !salvaged.contains($0.first) })
        findMissing()
    }

    private mutating func readSnapshots(_ directory: DataDirectory, _ sequences: [UInt64], _ depth: Depth) throws {
        for sequence in sequences.reversed() {
            do {
                snapshots.insert(try readSnapshot(directory, sequence, depth), at: 0)
            } catch SQLiteJournalError.damaged(_, let reason) {
                findings.append(.damagedSnapshot(file: DataDirectory.snapshotName(sequence), reason: reason))
                damagedSnapshots.append(sequence)
            }
        }
        recordSnapshots(depth)
    }

    /// Records what follows from the intact snapshots: the batches that are needed, the last sequence and epoch.
    private mutating func recordSnapshots(_ depth: Depth) {
        // With `everything`, a restart from the oldest snapshot must be possible, too.
        base = (depth == .restart ? snapshots.last : snapshots.first)?.sequence ?? 0
        lastSequence = max(lastSequence, snapshots.last?.sequence ?? 0)
        lastEpoch = max(lastEpoch, snapshots.map(\.epoch).max() ?? 0)
    }

    /// Reads a snapshot. For a restart, the newest intact one is read, and only the headers of older ones, for their
    /// epochs.
    private mutating func readSnapshot(
        _ directory: DataDirectory, _ sequence: UInt64, _ depth: Depth
    ) throws -> SnapshotFile {
        switch depth {
        case .everything:
            return try SnapshotFile.verify(sequence, in: directory)
        case .restart where snapshot == nil:
            let read = try SnapshotFile.read(sequence, in: directory)
            snapshot = read.snapshot
            return read.file
        case .restart:
            return try SnapshotFile.header(sequence, in: directory)
        }
    }

    private mutating func readMark(_ result: Result<CommitMark.Content, SQLiteJournalError>) throws {
        do {
            let content = try result.get()
            mark = content
            lastSequence = max(lastSequence, content.sequence)
            lastEpoch = max(lastEpoch, content.epoch)
        } catch SQLiteJournalError.damaged(_, let reason) {
            findings.append(.damagedFile(file: "mark", reason: reason))
        }
    }

    /// Reads the segments with these first sequences, except for the known ones.
    private mutating func readSegments(
        _ directory: DataDirectory, _ firsts: [UInt64], _ depth: Depth, known: [Examination] = []
    ) throws {
        let from = depth == .restart ? base + 1 : 0
        for (index, first) in firsts.enumerated() {
            let next = index + 1 < firsts.count ? firsts[index + 1] : nil
            if let next, next <= from { continue }
            // Rows beyond the first sequence of the next segment do not count.
            let range = max(first, from)...max(first, from, next.map { $0 - 1 } ?? DataDirectory.maxSequence)
            if let segment = known.first(where: { $0.first == first && $0.range == range }) {
                segments.append(segment)
            } else {
                segments.append(try Examination(first: first, path: directory.segment(first), range: range))
            }
            lastSequence = max(lastSequence, first == 0 ? 0 : first - 1)
        }
        for segment in segments {
            lastSequence = max(lastSequence, segment.last ?? 0, segment.metadata.missing.map(\.upperBound).max() ?? 0)
            lastEpoch = max(lastEpoch, segment.metadata.openings.map(\.epoch).max() ?? 0)
        }
    }

    /// Whether a damaged row can be a batch of the segment. Its sequence may be damaged, too.
    private func mayBeOf(_ segment: Examination, _ sequence: UInt64) -> Bool {
        segment.range.contains(sequence) && sequence > 0 && sequence <= lastSequence
            && !segment.intact.contains(sequence)
    }

    private mutating func findMissing() {
        var absent = RangeSet<UInt64>()
        if base < lastSequence { absent.insert(base + 1...lastSequence) }
        for segment in segments { absent.subtract(segment.intact) }
        var reported = RangeSet<UInt64>()
        for range in segments.flatMap(\.metadata.missing) { reported.insert(range) }
        absent.subtract(reported)
        missing = absent.closedRanges

        for segment in segments {
            // The WAL of one that lacks batches may contain more than SQLite can read: the files are quarantined, for
            // analysis.
            guard !segment.isIntact || missing.contains(where: segment.range.overlaps) else { continue }
            unsound.append(segment)
            let name = DataDirectory.segmentName(segment.first)
            if let damage = segment.damage { findings.append(.damagedFile(file: name, reason: damage)) }
            let possible = segment.damaged.filter { mayBeOf(segment, $0) }
            // The others are reported as ranges.
            let reported = possible.prefix(max(JournalFinding.maxReported - findings.count, 0))
            findings += reported.map { .damagedBatch($0) }
            absent.subtract(RangeSet(ascending: reported))
            if possible.count < segment.damaged.count, segment.damage == nil {
                findings.append(.damagedFile(file: name, reason: "a row in it is damaged"))
            }
        }
        findings += absent.closedRanges.map { .missing($0) }
    }
}

extension RecoveryScan {
    /// Returns the findings, with those of earlier openings that are not reported yet.
    func findings(withUnreported unreported: [JournalFinding]) -> [JournalFinding] {
        let intact = segments.reduce(into: RangeSet<UInt64>()) { $0.formUnion($1.intact) }
        return findings.joined(withUnreported: unreported, intact: intact).bounded
    }

    /// Merges the scan after a repair. Keeps the earlier findings, except for batches that were found after all. Adds
    /// the damage of segments that were only read now.
    mutating func merge(_ repaired: RecoveryScan, with unsoundNow: [Examination]) {
        var absent = RangeSet<UInt64>()
        for range in repaired.missing { absent.insert(range) }
        var found = RangeSet<UInt64>()
        for range in missing { found.insert(range) }
        found.subtract(absent)
        findings = findings.filter { finding in
            switch finding {
            case .missing: false
            case .damagedBatch(let sequence): absent.contains(sequence)
            case .damagedSnapshot, .damagedFile: true
            }
        }
        if let first = found.ranges.first?.lowerBound, let segment = unsound.last(where: { $0.first <= first }),
            segment.isIntact
        {
            findings.append(
                .damagedFile(
                    file: DataDirectory.segmentName(segment.first) + WAL.suffix,
                    reason: "the batches after the damage were recovered, from batch \(first) on"))
        }
        for segment in unsoundNow {
            findings.append(
                .damagedFile(
                    file: DataDirectory.segmentName(segment.first), reason: segment.damage ?? "a row in it is damaged"))
        }
        for case .damagedBatch(let sequence) in findings { absent.remove(sequence...sequence) }
        findings += absent.closedRanges.map { .missing($0) }
        missing = repaired.missing
        segments = repaired.segments
        lastSequence = max(lastSequence, repaired.lastSequence)
        lastEpoch = max(lastEpoch, repaired.lastEpoch)
    }
}

extension RangeSet<UInt64> {
    mutating func subtract(_ other: RangeSet<UInt64>) { self = subtracting(other) }
}
