import PopupJournal
import PopupScheduling

/// A journal on a disk that does as disks do: it takes no more for a while, loses with its machine what it had not
/// written yet, and spoils a snapshot.
///
///     append ──▶ handed to the system ──▶ synced          the process's death takes nothing,
///                 (full: at once synced)                  the machine's some of what isn't synced, the latest first
///     keep ──▶ two newest snapshots ──▶ segments that the older covers are dropped
final class SimulatedJournal: Journal {
    struct Batch {
        var sequence: UInt64
        var time: Milliseconds
        var commands: [UInt8]
    }

    private struct KeptSnapshot {
        var snapshot: JournalSnapshot
        var isDamaged = false
    }

    /// All batches that count, also those that the disk keeps no more.
    private(set) var history: [Batch] = []
    private let durability: Setting.Durability
    private var dice: Dice
    private var snapshots: [KeptSnapshot] = []
    /// The first batch that the disk keeps.
    private var firstKept: UInt64 = 1
    /// Where segments begin: they are dropped whole.
    private var segments: [UInt64] = [1]
    /// Up to here the machine's death takes nothing.
    private var synced: UInt64 = 0
    private var lastSequence: UInt64 = 0
    private var epoch: UInt64 = 0
    /// Until when timers were handled, as the mark of the last batch has it.
    private var markedTime: Milliseconds = 0
    /// The same when the process that has it open began.
    private(set) var recordedTime: Milliseconds = 0
    private var isOpen = false
    /// So many commits fail.
    var failures = 0
    /// Nothing can be written.
    var isFull = false
    /// The process that writes it.
    var fuse = Fuse()
    /// Is told of each batch when it is committed.
    var onCommit: (Batch) -> Void = { _ in }
    /// Is told when a batch could not be committed.
    var onRefusal: () -> Void = {}

    init(_ durability: Setting.Durability, seed: UInt64) {
        self.durability = durability
        dice = Dice(seed, for: "disk")
    }

    /// The same journal on another disk.
    ///
    /// - Parameter isAlone: With all batches and no snapshot.
    func copy(alone isAlone: Bool) -> SimulatedJournal {
        let copy = SimulatedJournal(durability, seed: 0)
        copy.history = history
        copy.lastSequence = lastSequence
        copy.markedTime = markedTime
        guard !isAlone else { return copy }
        copy.snapshots = snapshots
        copy.firstKept = firstKept
        return copy
    }

    // MARK: - What happens to it

    /// The process that had it open is gone.
    func crash() { isOpen = false }

    /// The machine fails.
    ///
    /// - Returns: How many batches are lost.
    func failMachine() -> Int {
        isOpen = false
        // A snapshot is on disk before anything is dropped for it, and stands for the batches that it holds.
        let safe = max(synced, snapshots.last?.snapshot.sequence ?? 0)
        let unsynced = history.reversed().prefix { $0.sequence > safe }.count
        guard unsynced > 0 else { return 0 }
        let lost = dice.number(0...unsynced)
        history.removeLast(lost)
        // The mark, which tells the last sequence, may have come to the disk before the batches.
        if !dice.oneIn(3) {
            lastSequence = max(safe, history.last?.sequence ?? 0)
            markedTime = min(markedTime, history.last?.time ?? 0)
        }
        synced = lastSequence
        return lost
    }

    /// A snapshot can't be read any more: one that the other snapshot, or the batches since the beginning, stand in
    /// for.
    ///
    /// - Returns: Whether there was one to be spoilt.
    func damageSnapshot() -> Bool {
        guard !snapshots.isEmpty, !snapshots.contains(where: \.isDamaged), snapshots.count == 2 || firstKept == 1 else {
            return false
        }
        snapshots[dice.oneIn(4) ? 0 : snapshots.count - 1].isDamaged = true
        return true
    }

    // MARK: - Journal

    func open() throws -> JournalOpening {
        guard !isOpen else { throw JournalIsInUse() }
        guard !isFull else { throw DiskIsFull() }
        isOpen = true
        epoch += 1
        recordedTime = markedTime
        // What is damaged is quarantined.
        snapshots.removeAll(where: \.isDamaged)
        return JournalOpening(epoch: epoch, lastSequence: lastSequence)
    }

    func newestSnapshot() throws -> JournalSnapshot? { snapshots.last { !$0.isDamaged }?.snapshot }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        guard sequence >= firstKept else { throw BatchesWereDropped() }
        for batch in history where batch.sequence >= sequence {
            try body(JournalBatch(sequence: batch.sequence, time: batch.time, commands: batch.commands))
        }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        try fuse.pass(.beforeCommit)
        guard failures == 0, !isFull else {
            failures = max(0, failures - 1)
            onRefusal()
            throw DiskIsFull()
        }
        lastSequence += 1
        let batch = Batch(sequence: lastSequence, time: time, commands: commands.withUnsafeBytes { Array($0) })
        history.append(batch)
        markedTime = max(markedTime, time)
        if dice.oneIn(8) { segments.append(lastSequence) }
        if durability == .full || dice.oneIn(8) { synced = lastSequence }
        onCommit(batch)
        try fuse.pass(.afterCommit)
        return lastSequence
    }

    func record(time: Int64) {
        if !fuse.isBurnt { markedTime = max(markedTime, time) }
    }

    func close() throws { isOpen = false }

    // MARK: - Snapshots

    /// Keeps a snapshot, and drops what a restart needs no more.
    func keep(_ snapshot: JournalSnapshot) throws {
        guard !isFull else { throw DiskIsFull() }
        snapshots.removeAll { $0.snapshot.sequence == snapshot.sequence }
        snapshots.append(KeptSnapshot(snapshot: snapshot))
        snapshots.sort { $0.snapshot.sequence < $1.snapshot.sequence }
        snapshots = snapshots.suffix(2)
        guard snapshots.count == 2 else { return }
        let covered = snapshots[0].snapshot.sequence
        firstKept = max(firstKept, segments.last { $0 <= covered + 1 } ?? firstKept)
        segments.removeAll { $0 < firstKept }
    }
}

struct DiskIsFull: Error {}

struct JournalIsInUse: Error {}

/// Something is asked for that was dropped because nobody would need it.
struct BatchesWereDropped: Error {}
