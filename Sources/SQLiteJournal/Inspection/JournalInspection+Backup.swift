public import PopupJournal
import SystemCalls

extension JournalInspection {
    /// Copies the journal, also while a broker writes it, as it was at one moment during this call. The copy contains
    /// everything that was committed when the call began.
    ///
    /// - Parameter target: A directory that is empty or does not exist.
    /// - Returns: The damage in the copy, which the journal itself has, too.
    /// - Throws: `SQLiteJournalError`. Then the copy is removed.
    @discardableResult
    public func backUp(to target: DataDirectory) throws -> [JournalFinding] {
        try Files.makeDirectory(target.path)
        guard try Files.names(in: target.path)?.isEmpty == true else {
            throw SQLiteJournalError.notEmpty(directory: target.path)
        }
        do {
            try copy(try source(), to: target)
            return try JournalInspection(directory: target).verify()
        } catch {
            for name in (try? Files.names(in: target.path)) ?? [] { try? Files.remove(target.path + "/" + name) }
            throw error
        }
    }

    /// Open files of the journal. They stay readable although the broker may remove them.
    private final class Source {
        var mark: CommitMark.Content?
        var snapshots: [(sequence: UInt64, descriptor: Int32)] = []
        var segments: [OpenSegment] = []

        deinit {
            for snapshot in snapshots { close(snapshot.descriptor) }
        }
    }

    /// Opens the files of one state of the journal. A snapshot that is written meanwhile may have removed segments that
    /// the older snapshots need: then all files are opened again.
    private func source() throws -> Source {
        for _ in 0..<Self.maxAttempts {
            let source = Source()
            // First: the segments that are listed after it contain all batches that it counts.
            source.mark = try? CommitMark.read(directory)
            let listed = try contents().snapshots
            do {
                for sequence in listed.suffix(2) {
                    source.snapshots.append((sequence, try Files.open(directory.snapshot(sequence), O_RDONLY)))
                }
                source.segments = try openSegments(try contents().segments)
            } catch SQLiteJournalError.failed(_, _, ENOENT) {
                continue
            }
            if try contents().snapshots == listed { return source }
        }
        throw SQLiteJournalError.changing(directory: directory.path)
    }

    private func copy(_ source: Source, to target: DataDirectory) throws {
        for (sequence, descriptor) in source.snapshots {
            try Files.copy(from: descriptor, path: directory.snapshot(sequence), to: target.snapshot(sequence))
        }
        // Ascending: a segment that is followed by another is complete, so that the copy has no gap.
        var last = source.snapshots.last?.sequence ?? 0
        for segment in source.segments {
            let path = target.segment(segment.first)
            guard let reader = segment.reader else {
                // Nothing of it can be read: the file is copied as it is.
                try Files.copy(directory.segment(segment.first), to: path)
                continue
            }
            try reader.copy(to: path)
            let copy = try SegmentReader(path)
            defer { copy.close() }
            last = max(last, (try? copy.extent())?.last ?? 0)
        }
        // Last, since it makes the directory a journal. It still reveals what the journal itself has lost.
        let mark = try CommitMark(target)
        var content = source.mark ?? CommitMark.Content()
        content.sequence = max(last, content.sequence)
        if let error = mark.write(content) { throw error }
        try mark.synchronize()
        try Files.synchronize(target.path)
    }
}
