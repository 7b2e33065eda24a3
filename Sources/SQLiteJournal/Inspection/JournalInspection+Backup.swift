public import PopupJournal
import SystemCalls

extension JournalInspection {
    /// Copies the journal, also while a broker writes it, as it was at one moment during this call: all that was
    /// committed when it began is in the copy.
    ///
    /// - Parameter target: a folder that isn't there yet, or is empty.
    /// - Returns: What in the copy is not as it was written: what the journal itself lacks.
    /// - Throws: `SQLiteJournalError`; the copy is removed then.
    @discardableResult
    public func backUp(to target: DataDirectory) throws -> [JournalFinding] {
        try Files.makeFolder(target.path)
        guard try Files.names(in: target.path)?.isEmpty == true else {
            throw SQLiteJournalError.notEmpty(folder: target.path)
        }
        do {
            try copy(try source(), to: target)
            return try JournalInspection(folder: target).verify()
        } catch {
            for name in (try? Files.names(in: target.path)) ?? [] { try? Files.remove(target.path + "/" + name) }
            throw error
        }
    }

    /// Files that are held open: they stay readable though the broker may remove them.
    private final class Source {
        var mark: CommitMark.Content?
        var snapshots: [(sequence: UInt64, descriptor: Int32)] = []
        var segments: [OpenSegment] = []

        deinit {
            for snapshot in snapshots { close(snapshot.descriptor) }
        }
    }

    /// Opens all that belongs together. A snapshot that comes in between may have taken segments that the ones before
    /// need: then all is opened anew.
    private func source() throws -> Source {
        for _ in 0..<Self.mostAttempts {
            let source = Source()
            // First: all that it counts is in the segments that are listed after it.
            source.mark = try? CommitMark.read(folder)
            let listed = try contents().snapshots
            do {
                for sequence in listed.suffix(2) {
                    source.snapshots.append((sequence, try Files.open(folder.snapshot(sequence), O_RDONLY)))
                }
                source.segments = try openSegments(try contents().segments)
            } catch SQLiteJournalError.failed(_, _, ENOENT) {
                continue
            }
            if try contents().snapshots == listed { return source }
        }
        throw SQLiteJournalError.changing(folder: folder.path)
    }

    private func copy(_ source: Source, to target: DataDirectory) throws {
        for (sequence, descriptor) in source.snapshots {
            try Files.copy(from: descriptor, path: folder.snapshot(sequence), to: target.snapshot(sequence))
        }
        // Ascending: a segment that is followed by another is complete, so that the copy has no gap.
        var last = source.snapshots.last?.sequence ?? 0
        for segment in source.segments {
            let path = target.segment(segment.first)
            guard let reader = segment.reader else {
                // Nothing of it can be read: it is copied as it lies there.
                try Files.copy(folder.segment(segment.first), to: path)
                continue
            }
            try reader.copy(to: path)
            let copy = try SegmentReader(path)
            defer { copy.close() }
            last = max(last, (try? copy.extent())?.last ?? 0)
        }
        // Last of all: with it the folder is a journal. It keeps telling of what the journal itself has lost.
        let mark = try CommitMark(target)
        var content = source.mark ?? CommitMark.Content()
        content.sequence = max(last, content.sequence)
        if let error = mark.write(content) { throw error }
        try mark.synchronize()
        try Files.synchronize(target.path)
    }
}
