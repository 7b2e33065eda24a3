import PopupJournal

/// What a folder was found to hold: how a journal is opened goes by it, and so does whoever looks at one beside a
/// broker. Nothing is changed by it.
struct RecoveryScan {
    /// What a scan looks at.
    enum Depth {
        /// What a restart needs: the newest snapshot that is whole, and the batches since.
        case restart
        /// All that is there; the content of snapshots is not kept.
        case everything
    }

    /// The newest snapshot that is whole.
    var snapshot: JournalSnapshot?
    /// The snapshots that are whole, as far as they were read, ascending.
    var snapshots: [SnapshotFile] = []
    /// The sequences of the snapshots that can't be used.
    var damagedSnapshots: [UInt64] = []
    /// The segments that were looked at: those with batches after the snapshot, and the last one; ascending.
    var segments: [Examination] = []
    /// What the mark says; `nil` when it can't be read.
    var mark: CommitMark.Content?
    /// The last sequence that was ever given to a batch, as far as anything tells.
    var lastSequence: UInt64 = 0
    /// The greatest epoch that anything tells of.
    var lastEpoch: UInt64 = 0
    /// Batches that are missing or damaged, and were not told of by an opening before.
    var missing: [ClosedRange<UInt64>] = []
    /// Segments that can't stay as they are: damaged ones, and those that lack batches.
    var unsound: [Examination] = []
    var findings: [JournalFinding] = []
    /// The batch up to which none is needed.
    private var base: UInt64 = 0

    /// Looks at a folder.
    ///
    /// - Parameters:
    ///   - contents: what it holds.
    ///   - mark: what its mark said before that was listed.
    init(
        _ folder: DataDirectory, _ contents: DataDirectory.Contents,
        mark: Result<CommitMark.Content, SQLiteJournalError>,
        depth: Depth
    ) throws {
        try readSnapshots(folder, contents.snapshots, depth)
        try readMark(mark)
        try readSegments(folder, contents.segments, depth)
        findings += contents.orphans.map { .damagedFile(file: $0, reason: "the segment that it belongs to is missing") }
        findings += contents.foreignFindings
        settle()
    }

    private mutating func readSnapshots(_ folder: DataDirectory, _ sequences: [UInt64], _ depth: Depth) throws {
        for sequence in sequences.reversed() {
            do {
                snapshots.insert(try readSnapshot(folder, sequence, depth), at: 0)
            } catch SQLiteJournalError.damaged(_, let reason) {
                findings.append(.damagedSnapshot(file: DataDirectory.snapshotName(sequence), reason: reason))
                damagedSnapshots.append(sequence)
            }
        }
        // Everything: a restart from the oldest must be possible, too.
        base = (depth == .restart ? snapshots.last : snapshots.first)?.sequence ?? 0
        lastSequence = max(lastSequence, snapshots.last?.sequence ?? 0)
        lastEpoch = max(lastEpoch, snapshots.map(\.epoch).max() ?? 0)
    }

    /// The newest that is whole is needed; of an older one only the header, to know where it ends.
    private mutating func readSnapshot(
        _ folder: DataDirectory, _ sequence: UInt64, _ depth: Depth
    ) throws -> SnapshotFile {
        switch depth {
        case .everything:
            return try SnapshotFile.verify(sequence, in: folder)
        case .restart where snapshot == nil:
            let read = try SnapshotFile.read(sequence, in: folder)
            snapshot = read.snapshot
            return read.file
        case .restart:
            return try SnapshotFile.header(sequence, in: folder)
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

    private mutating func readSegments(_ folder: DataDirectory, _ firsts: [UInt64], _ depth: Depth) throws {
        let from = depth == .restart ? base + 1 : 0
        for (index, first) in firsts.enumerated() {
            let next = index + 1 < firsts.count ? firsts[index + 1] : nil
            if let next, next <= from { continue }
            // Rows that belong to the next segment are none of this one's.
            let range = max(first, from)...max(first, from, next.map { $0 - 1 } ?? DataDirectory.mostSequence)
            segments.append(try Examination(first: first, path: folder.segment(first), range: range))
            lastSequence = max(lastSequence, first == 0 ? 0 : first - 1)
        }
        for segment in segments {
            lastSequence = max(lastSequence, segment.last ?? 0, segment.notes.missing.map(\.upperBound).max() ?? 0)
            lastEpoch = max(lastEpoch, segment.notes.openings.map(\.epoch).max() ?? 0)
        }
    }

    /// A damaged row's sequence may be the damage itself.
    private func mayBeOf(_ segment: Examination, _ sequence: UInt64) -> Bool {
        segment.range.contains(sequence) && sequence > 0 && sequence <= lastSequence
            && !segment.whole.contains(sequence)
    }

    private mutating func settle() {
        var absent = RangeSet<UInt64>()
        if base < lastSequence { absent.insert(base + 1...lastSequence) }
        for segment in segments { absent.subtract(segment.whole) }
        var told = RangeSet<UInt64>()
        for range in segments.flatMap(\.notes.missing) { told.insert(range) }
        absent.subtract(told)
        missing = absent.closedRanges

        for segment in segments {
            // One that lacks batches may hold more in its WAL than SQLite can reach: it is kept for whoever wants to
            // look.
            guard !segment.isWhole || missing.contains(where: segment.range.overlaps) else { continue }
            unsound.append(segment)
            let name = DataDirectory.segmentName(segment.first)
            if let damage = segment.damage { findings.append(.damagedFile(file: name, reason: damage)) }
            let possible = segment.damaged.filter { mayBeOf(segment, $0) }
            // More are told as ranges.
            let told = possible.prefix(max(JournalFinding.mostTold - findings.count, 0))
            findings += told.map { .damagedBatch($0) }
            absent.subtract(RangeSet(ascending: told))
            if possible.count < segment.damaged.count, segment.damage == nil {
                findings.append(.damagedFile(file: name, reason: "a row in it is damaged"))
            }
        }
        findings += absent.closedRanges.map { .missing($0) }
    }
}

extension RecoveryScan {
    /// What it found, and what an opening before has found and not told.
    func findings(withUntold untold: [JournalFinding]) -> [JournalFinding] {
        let whole = segments.reduce(into: RangeSet<UInt64>()) { $0.formUnion($1.whole) }
        return findings.joined(withUntold: untold, whole: whole).bounded
    }

    /// Takes what was found when the unsound segments had been repaired. Of what was told before all stays but the
    /// batches that were found after all; the damage of segments that were looked at only now is told, too.
    mutating func take(_ repaired: RecoveryScan, with unsoundNow: [Examination]) {
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
            segment.isWhole
        {
            findings.append(
                .damagedFile(
                    file: DataDirectory.segmentName(segment.first) + "-wal",
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
