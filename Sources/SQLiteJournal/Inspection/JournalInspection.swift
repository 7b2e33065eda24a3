public import PopupJournal
import SystemCalls

/// An inspection of a journal, without its lock and without changes, also while a broker writes it.
///
/// After a broker was killed, SQLite creates a file next to the active segment. Then the directory must be writable.
public struct JournalInspection: Sendable {
    /// The maximum number of attempts: the broker may remove files that were just listed.
    static let maxAttempts = 8

    /// The data directory.
    public let directory: DataDirectory

    /// Creates an inspection of a directory.
    ///
    /// - Throws: `SQLiteJournalError.noJournal` if it contains no journal, or cannot be read.
    public init(directory: DataDirectory) throws {
        self.directory = directory
        guard let contents = try directory.contents(), contents.isJournal else {
            throw SQLiteJournalError.noJournal(directory: directory.path)
        }
    }

    /// Returns a description of the directory. Checks the snapshots, but not the batches.
    ///
    /// - Throws: `SQLiteJournalError` if it cannot be read.
    public func info() throws -> JournalInfo {
        try attempt { try currentInfo() }
    }

    /// Returns everything that is damaged or missing: reads every batch and snapshot, and compares checksums. Also checks
    /// that a restart from the older snapshot is possible.
    ///
    /// - Throws: `SQLiteJournalError` if it cannot be read.
    public func verify() throws -> [JournalFinding] {
        try attempt {
            // Before the files are listed: they contain everything that was committed up to here.
            let mark = CommitMark.result(directory)
            // A broker that has the directory open reports them itself.
            let unreported =
                DirectoryLock.holder(directory) == nil ? try UnreportedFindings(directory: directory).read() : []
            return try RecoveryScan(directory, try contents(), mark: mark, depth: .everything).findings(
                withUnreported: unreported)
        }
    }

    /// Returns the newest intact snapshot; `nil` if there is none.
    ///
    /// - Throws: `SQLiteJournalError` if it cannot be read.
    public func newestSnapshot() throws -> JournalSnapshot? {
        try attempt { try intactSnapshot(of: try contents().snapshots.reversed()) }
    }

    /// Calls `body` with each intact batch in `range`, oldest first, at least up to the last one committed at the time of
    /// the call.
    ///
    /// - Throws: `SQLiteJournalError` if it cannot be read; the errors of `body`.
    public func forEachBatch(
        in range: ClosedRange<UInt64> = 0...UInt64.max, _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        // All are opened first: segments that are removed meanwhile stay readable.
        try Self.forEachBatch(of: try attempt { try openSegments(try contents().segments) }, in: range, body)
    }

    /// Calls `begin` with the state with which the journal begins: `nil` if it has its first batch, or else the oldest
    /// intact snapshot. Then calls `body` with each intact batch after it, oldest first, at least up to the last one
    /// committed at the time of the call.
    ///
    /// - Throws: `SQLiteJournalError` if it cannot be read; the errors of `begin` and `body`.
    public func replay(
        _ begin: (JournalSnapshot?) throws -> Void, _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        let (snapshot, segments) = try beginning()
        try begin(snapshot)
        try Self.forEachBatch(of: segments, in: (snapshot?.sequence ?? 0) + 1...UInt64.max, body)
    }

    /// Opens the oldest snapshot, if it is needed, and the segments. A broker that takes a snapshot in between may have
    /// removed segments that it needs: then all is opened anew.
    private func beginning() throws -> (JournalSnapshot?, [OpenSegment]) {
        for _ in 0..<Self.maxAttempts {
            let listed = try contents().snapshots
            do {
                let segments = try openSegments(try contents().segments)
                let isWhole = segments.first?.first == 1
                let snapshot = isWhole ? nil : try intactSnapshot(of: listed)
                if try contents().snapshots == listed { return (snapshot, segments) }
            } catch SQLiteJournalError.failed(_, _, ENOENT) {
                continue
            }
        }
        throw SQLiteJournalError.changing(directory: directory.path)
    }

    /// Returns the first intact snapshot of a list.
    private func intactSnapshot(of sequences: some Sequence<UInt64>) throws -> JournalSnapshot? {
        for sequence in sequences {
            do {
                return try SnapshotFile.read(sequence, in: directory).snapshot
            } catch SQLiteJournalError.damaged {
                continue
            }
        }
        return nil
    }

    private static func forEachBatch(
        of segments: [OpenSegment], in range: ClosedRange<UInt64>, _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        for segment in segments {
            guard let reader = segment.reader, segment.range.overlaps(range) else { continue }
            _ = try reader.forEachBatch(in: segment.range.clamped(to: range)) { row in
                guard row.isIntact else { return }
                try body(JournalBatch(sequence: row.sequence, time: row.time, commands: Array(row.commands)))
            }
        }
    }

    struct OpenSegment {
        var first: UInt64
        var range: ClosedRange<UInt64>
        /// `nil` if it cannot be read.
        var reader: SegmentReader?
        var damage: String?
    }

    func contents() throws -> DataDirectory.Contents {
        guard let contents = try directory.contents() else {
            throw SQLiteJournalError.noJournal(directory: directory.path)
        }
        return contents
    }

    func openSegments(_ firsts: [UInt64]) throws -> [OpenSegment] {
        var segments: [OpenSegment] = []
        for (index, first) in firsts.enumerated() {
            let last = index + 1 < firsts.count ? firsts[index + 1] - 1 : UInt64.max
            var segment = OpenSegment(first: first, range: first...max(first, last))
            do {
                segment.reader = try SegmentReader(directory.segment(first))
            } catch SQLiteJournalError.damaged(_, let reason) {
                segment.damage = reason
            }
            segments.append(segment)
        }
        return segments
    }

    /// Calls `body` again if a file was removed after it was listed.
    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 0..<Self.maxAttempts {
            do {
                return try body()
            } catch SQLiteJournalError.failed(_, _, ENOENT) {
                continue
            }
        }
        throw SQLiteJournalError.changing(directory: directory.path)
    }

    private func currentInfo() throws -> JournalInfo {
        let mark = try? CommitMark.read(directory)
        let contents = try contents()
        var info = JournalInfo(
            directory: directory.path, schemaVersion: Schema.version, process: DirectoryLock.holder(directory),
            epoch: mark?.epoch ?? 0, lastSequence: mark?.sequence ?? 0, lastTime: nil, mark: mark?.sequence,
            segments: [], snapshots: [], damaged: try Files.names(in: directory.damaged) ?? [])
        for segment in try openSegments(contents.segments) { info.segments.append(try describe(segment)) }
        for sequence in contents.snapshots { info.snapshots.append(try describe(snapshot: sequence)) }
        let ends =
            info.segments.compactMap { segment in segment.range.map { ($0.upperBound, segment.lastTime) } }
            + info.snapshots.filter { $0.damage == nil }.map { ($0.sequence, $0.time) }
        for (sequence, time) in ends where sequence >= info.lastSequence {
            info.lastSequence = sequence
            info.lastTime = time
        }
        info.epoch = max(
            info.epoch, info.segments.flatMap(\.epochs).max() ?? 0, info.snapshots.compactMap(\.epoch).max() ?? 0)
        return info
    }

    private func describe(_ segment: OpenSegment) throws -> JournalInfo.Segment {
        let path = directory.segment(segment.first)
        var info = JournalInfo.Segment(
            file: DataDirectory.segmentName(segment.first), size: Files.size(path) + Files.size(path + WAL.suffix),
            batches: 0,
            range: nil, lastTime: nil, epochs: [], damage: segment.damage)
        guard let reader = segment.reader else { return info }
        let metadata = try reader.metadata()
        info.epochs = metadata.openings.map(\.epoch)
        info.damage = metadata.damage
        do {
            if let extent = try reader.extent(), extent.first <= extent.last {
                info.batches = extent.count
                info.range = extent.first...extent.last
                info.lastTime = extent.lastTime
            }
        } catch SQLiteJournalError.damaged(_, let reason) {
            info.damage = reason
        }
        return info
    }

    private func describe(snapshot sequence: UInt64) throws -> JournalInfo.Snapshot {
        let path = directory.snapshot(sequence)
        var info = JournalInfo.Snapshot(
            file: DataDirectory.snapshotName(sequence), size: Files.size(path), sequence: sequence, time: nil,
            epoch: nil,
            damage: nil)
        do {
            let file = try SnapshotFile.verify(sequence, in: directory)
            (info.time, info.epoch) = (file.time, file.epoch)
        } catch SQLiteJournalError.damaged(_, let reason) {
            info.damage = reason
        }
        return info
    }
}
