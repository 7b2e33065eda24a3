import Synchronization
import SystemCalls

/// Whether the data directory is still the one that was opened, and holds what a restart needs: a batch in a file that
/// was removed is as good as lost, though every call succeeds.
///
/// A look costs one stat(2): as long as the folder has the same identity and was not changed, nothing in it was
/// removed. When it was changed, lately or since the last look, its files are looked at.
final class FolderPresence: Sendable {
    /// In s: changes that are less old may have the time of another one after it. FAT counts in steps of two seconds.
    private static let granularity = 3

    private struct Expected {
        var lock: FileIdentity?
        /// The first sequence of the segment that is written.
        var first: UInt64?
        /// That segment's files.
        var written: [(path: String, identity: FileIdentity?)] = []
        /// Names of the segments and snapshots that a restart needs.
        var needed: Set<String> = []
        /// When the folder was changed last, at a time when all was there; `nil`: nothing is known of it.
        var changed: timespec?
    }

    private let folder: DataDirectory
    private let trustsTimes: Bool
    private let identity: FileIdentity?
    private let files = Mutex(Expected())

    /// A folder as it is now.
    ///
    /// - Parameter trustsTimes: whether the files of a folder that was not changed for a while are not looked at. What
    ///   is looked at depends on the clock then.
    init(_ folder: DataDirectory, trustsTimes: Bool) {
        self.folder = folder
        self.trustsTimes = trustsTimes
        identity = FileIdentity(path: folder.path)
    }

    // MARK: What should be there

    /// Begins with what is there, and a lock that is held.
    func expect(_ contents: DataDirectory.Contents?, _ lock: FolderLock) {
        let segments = (contents?.segments ?? []).map(DataDirectory.segmentName)
        let snapshots = (contents?.snapshots ?? []).map(DataDirectory.snapshotName)
        files.withLock { files in
            files.lock = lock.identity
            files.needed = Set(segments + snapshots)
        }
    }

    /// A file came.
    func expect(_ name: String) {
        files.withLock { _ = $0.needed.insert(name) }
    }

    /// A file is about to go.
    func expectNoMore(_ name: String) {
        files.withLock { _ = $0.needed.remove(name) }
    }

    /// This segment is written from now on, as it lies there; the one before is needed.
    func beginWriting(_ first: UInt64) {
        let path = folder.segment(first)
        files.withLock { files in
            if let before = files.first, before != first { files.needed.insert(DataDirectory.segmentName(before)) }
            files.first = first
            files.needed.remove(DataDirectory.segmentName(first))
            files.written = [path, path + "-wal"].map { ($0, FileIdentity(path: $0)) }
            files.changed = nil
        }
    }

    // MARK: What is there

    /// Throws `SQLiteJournalError.removed` when the folder is another one, or gone.
    func checkFolder() throws(SQLiteJournalError) {
        guard let identity, FileIdentity(path: folder.path) == identity else { throw .removed(path: folder.path) }
    }

    /// Throws `SQLiteJournalError.removed` when the folder is another one or gone, or something that is needed is.
    func check() throws(SQLiteJournalError) {
        // Taken before the folder's: what changes from now on is not earlier.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        var status = stat()
        guard stat(folder.path, &status) == 0, FileIdentity(status) == identity else {
            throw .removed(path: folder.path)
        }
        let changed = status.st_mtim
        let missing = files.withLock { files -> String? in
            if let last = files.changed, last.tv_sec == changed.tv_sec, last.tv_nsec == changed.tv_nsec { return nil }
            if let missing = firstMissing(files) {
                files.changed = nil
                return missing
            }
            files.changed = trustsTimes && now.tv_sec - changed.tv_sec > Self.granularity ? changed : nil
            return nil
        }
        if let missing { throw .removed(path: missing) }
    }

    private func firstMissing(_ files: Expected) -> String? {
        guard FileIdentity(path: folder.lock) == files.lock else { return folder.lock }
        for (path, identity) in files.written where FileIdentity(path: path) != identity { return path }
        for name in files.needed.sorted() {
            let path = folder.path + "/" + name
            guard FileIdentity(path: path) != nil else { return path }
        }
        return nil
    }
}
