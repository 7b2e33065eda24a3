import PopupJournal
import Synchronization

/// The state of an open journal that the thread that appends and the one that makes snapshots share.
final class JournalState: Sendable {
    let directory: DataDirectory
    let epoch: UInt64
    /// Batches that were reported as missing: a replay may lack them.
    let reportedMissing: RangeSet<UInt64>
    /// The sequence of the last committed batch.
    let committed: Atomic<UInt64>
    /// The size of the appended commands, in bytes.
    let appended: Atomic<Int>
    /// The value of `appended` at the batch of the newest snapshot.
    let appendedAtSnapshot = Atomic<Int>(0)
    /// The size of the state in the newest snapshot, in bytes.
    let snapshotSize: Atomic<Int>
    /// Whether the next batch begins a segment, which waits for the disk.
    let isSegmentDue = Atomic<Bool>(false)
    let files = FilesLock()
    /// The check that the directory and its files still exist.
    let presence: DirectoryPresence
    /// The lock that is held while a snapshot is written or read.
    let snapshots = FilesLock()
    /// Whether the lock of the directory is held.
    let isOpen = Atomic<Bool>(true)

    init(
        directory: DataDirectory, epoch: UInt64, committed: UInt64, reportedMissing: RangeSet<UInt64>, appended: Int,
        snapshotSize: Int, trustsTimes: Bool
    ) {
        self.directory = directory
        presence = DirectoryPresence(directory, trustsTimes: trustsTimes)
        self.epoch = epoch
        self.reportedMissing = reportedMissing
        self.committed = Atomic(committed)
        self.appended = Atomic(appended)
        self.snapshotSize = Atomic(snapshotSize)
    }
}
