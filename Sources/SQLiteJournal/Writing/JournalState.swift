import PopupJournal
import Synchronization

/// What the thread that appends and the one that makes snapshots both know of an open journal.
final class JournalState: Sendable {
    let folder: DataDirectory
    let epoch: UInt64
    /// Batches that were told to be missing: nobody waits for them.
    let toldMissing: RangeSet<UInt64>
    /// The last batch that was committed.
    let committed: Atomic<UInt64>
    /// In bytes: the commands that were appended.
    let appended: Atomic<Int>
    /// What `appended` was at the batch of the newest snapshot.
    let appendedAtSnapshot = Atomic<Int>(0)
    /// In bytes: the newest snapshot's state.
    let snapshotSize: Atomic<Int>
    let files = FilesLock()
    /// Whether all of it is still where it was.
    let presence: FolderPresence
    /// Held while a snapshot is written or read.
    let snapshots = FilesLock()
    /// The folder's lock is held.
    let isOpen = Atomic<Bool>(true)

    init(
        folder: DataDirectory, epoch: UInt64, committed: UInt64, toldMissing: RangeSet<UInt64>, appended: Int,
        snapshotSize: Int, trustsTimes: Bool
    ) {
        self.folder = folder
        presence = FolderPresence(folder, trustsTimes: trustsTimes)
        self.epoch = epoch
        self.toldMissing = toldMissing
        self.committed = Atomic(committed)
        self.appended = Atomic(appended)
        self.snapshotSize = Atomic(snapshotSize)
    }
}
