import PopupJournal

/// A journal in memory that keeps every batch.
final class FuzzedJournal: Journal {
    private var batches: [(time: Int64, commands: [UInt8])] = []
    private var epoch: UInt64 = 0
    private(set) var recordedTime: Int64 = 0
    /// Whether a batch was committed.
    var isWritten: Bool { !batches.isEmpty }

    func open() throws -> JournalOpening {
        epoch += 1
        return JournalOpening(epoch: epoch, lastSequence: UInt64(batches.count))
    }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        for (index, batch) in batches.enumerated() where UInt64(index + 1) >= sequence {
            try body(JournalBatch(sequence: UInt64(index + 1), time: batch.time, commands: batch.commands))
        }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        batches.append((time, commands.withUnsafeBytes { Array($0) }))
        return UInt64(batches.count)
    }

    func record(time: Int64) { recordedTime = max(recordedTime, time) }

    func close() throws {}
}
