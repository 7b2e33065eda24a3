import PopupJournal

/// Reads batches back, through connections that change nothing.
enum Replay {
    /// Calls `body` with each batch in `range` that is whole, oldest first.
    ///
    /// - Parameter lock: held while a segment is read.
    /// - Throws: `SQLiteJournalError` when the folder can't be read, and what `body` throws.
    static func run(
        _ folder: DataDirectory, _ range: ClosedRange<UInt64>, lock: FilesLock,
        _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        guard let segments = try folder.contents()?.segments else {
            throw SQLiteJournalError.noJournal(folder: folder.path)
        }
        for (index, first) in segments.enumerated() {
            let last = index + 1 < segments.count ? segments[index + 1] - 1 : UInt64.max
            guard first <= range.upperBound, last >= range.lowerBound, first <= last else { continue }
            lock.take()
            defer { lock.release() }
            let reader: SegmentReader
            do {
                reader = try SegmentReader(folder.segment(first))
            } catch SQLiteJournalError.damaged {
                continue
            }
            defer { reader.close() }
            _ = try reader.forEachBatch(in: max(first, range.lowerBound)...min(last, range.upperBound)) { row in
                guard row.isWhole else { return }
                try body(JournalBatch(sequence: row.sequence, time: row.time, commands: Array(row.commands)))
            }
        }
    }
}
