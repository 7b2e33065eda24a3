import PopupJournal
import PopupScheduling

/// A disk that keeps whole what was committed, loses what was not, and fails when it is told to.
final class SimulatedJournal: Journal {
    struct Batch {
        var time: Milliseconds
        var commands: [UInt8]
    }

    private(set) var batches: [Batch] = []
    private var epoch: UInt64 = 0
    private var isOpen = false
    /// So many commits fail.
    var failures = 0
    /// The process that writes it.
    var fuse = Fuse()
    /// Is told of each batch when it is committed.
    var onCommit: (Batch) -> Void = { _ in }

    init(_ batches: [Batch] = []) {
        self.batches = batches
    }

    /// The same journal on another disk.
    func copy() -> SimulatedJournal { SimulatedJournal(batches) }

    /// The process that had it open is gone.
    func crash() { isOpen = false }

    func open() throws -> JournalOpening {
        guard !isOpen else { throw JournalIsInUse() }
        isOpen = true
        epoch += 1
        return JournalOpening(epoch: epoch, lastSequence: UInt64(batches.count))
    }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        for (index, batch) in batches.enumerated() where index + 1 >= sequence {
            try body(JournalBatch(sequence: UInt64(index + 1), time: batch.time, commands: batch.commands))
        }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        try fuse.pass(.beforeCommit)
        guard failures == 0 else {
            failures -= 1
            throw DiskIsFull()
        }
        let batch = Batch(time: time, commands: commands.withUnsafeBytes { Array($0) })
        batches.append(batch)
        onCommit(batch)
        try fuse.pass(.afterCommit)
        return UInt64(batches.count)
    }

    func close() throws { isOpen = false }
}

struct DiskIsFull: Error {}

struct JournalIsInUse: Error {}
