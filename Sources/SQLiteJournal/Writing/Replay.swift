import PopupJournal

/// The replay of batches through read-only connections.
enum Replay {
    /// Calls `body` with each intact batch in `range`, oldest first.
    ///
    /// - Parameter lock: The lock that is held while a segment is read.
    /// - Throws: `SQLiteJournalError` if the directory cannot be read; the errors of `body`.
    static func run(
        _ directory: DataDirectory, _ range: ClosedRange<UInt64>, lock: FilesLock,
        _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        guard let segments = try directory.contents()?.segments else {
            throw SQLiteJournalError.noJournal(directory: directory.path)
        }
        for (index, first) in segments.enumerated() {
            let last = index + 1 < segments.count ? segments[index + 1] - 1 : UInt64.max
            guard first <= range.upperBound, last >= range.lowerBound, first <= last else { continue }
            lock.take()
            defer { lock.release() }
            let reader: SegmentReader
            do {
                reader = try SegmentReader(directory.segment(first))
            } catch SQLiteJournalError.damaged {
                continue
            }
            defer { reader.close() }
            _ = try reader.forEachBatch(in: max(first, range.lowerBound)...min(last, range.upperBound)) { row in
                guard row.isIntact else { return }
                try body(JournalBatch(sequence: row.sequence, time: row.time, commands: Array(row.commands)))
            }
        }
    }
}
