import Synchronization
import SystemCalls

/// A check that the data directory is still the one that was opened, and that it contains the files that a restart
/// needs. A batch in a removed file would be lost, although every call succeeds.
///
/// A check costs one stat(2): nothing was removed if the identity and the time of the last change of the directory are
/// the same. If the directory was changed recently, or since the last check, its files are checked.
final class DirectoryPresence: Sendable {
    /// The age in s below which a change may hide a later one with the same timestamp. FAT counts in steps of two
    /// seconds.
    private static let granularity = 3

    private struct Expected {
        var lock: FileIdentity?
        /// The first sequence of the active segment.
        var first: UInt64?
        /// The files of the active segment.
        var written: [(path: String, identity: FileIdentity?)] = []
        /// The names of the segments and snapshots that a restart needs, except the active segment.
        var needed: Set<String> = []
        /// The last change of the directory at a time when all files existed; `nil` if it is not known.
        var changed: timespec?
    }

    private let directory: DataDirectory
    private let trustsTimes: Bool
    private let identity: FileIdentity?
    private let files = Mutex(Expected())

    /// Creates a check of a directory, as it is now.
    ///
    /// - Parameter trustsTimes: Whether the files of a directory that has not changed for a while are not looked at.
    ///   What is looked at then depends on the clock.
    init(_ directory: DataDirectory, trustsTimes: Bool) {
        self.directory = directory
        self.trustsTimes = trustsTimes
        identity = FileIdentity(path: directory.path)
    }

    // MARK: The expected files

    /// Expects the given segments and snapshots, and the lock, from now on.
    func expect(_ contents: DataDirectory.Contents?, _ lock: DirectoryLock) {
        let segments = (contents?.segments ?? []).map(DataDirectory.segmentName)
        let snapshots = (contents?.snapshots ?? []).map(DataDirectory.snapshotName)
        files.withLock { files in
            files.lock = lock.identity
            files.needed = Set(segments + snapshots)
        }
    }

    /// Expects another file.
    func expect(_ name: String) {
        files.withLock { _ = $0.needed.insert(name) }
    }

    /// Expects a file no more, before it is removed.
    func stopExpecting(_ name: String) {
        files.withLock { _ = $0.needed.remove(name) }
    }

    /// Expects the files of a new active segment. The one before stays expected.
    func beginWriting(_ first: UInt64) {
        let path = directory.segment(first)
        files.withLock { files in
            if let before = files.first, before != first { files.needed.insert(DataDirectory.segmentName(before)) }
            files.first = first
            files.needed.remove(DataDirectory.segmentName(first))
            files.written = [path, path + WAL.suffix].map { ($0, FileIdentity(path: $0)) }
            files.changed = nil
        }
    }

    // MARK: Checks

    /// Checks the directory.
    ///
    /// - Throws: `SQLiteJournalError.removed` if it was removed or replaced.
    func checkDirectory() throws(SQLiteJournalError) {
        guard let identity, FileIdentity(path: directory.path) == identity else { throw .removed(path: directory.path) }
    }

    /// Checks the directory and its files.
    ///
    /// - Throws: `SQLiteJournalError.removed` if the directory or a file that is needed was removed or replaced.
    func check() throws(SQLiteJournalError) {
        // The clock is read first: later changes do not have an earlier timestamp.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        var status = stat()
        guard stat(directory.path, &status) == 0, FileIdentity(status) == identity else {
            throw .removed(path: directory.path)
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
        guard FileIdentity(path: directory.lock) == files.lock else { return directory.lock }
        for (path, identity) in files.written where FileIdentity(path: path) != identity { return path }
        for name in files.needed.sorted() {
            let path = directory.path + "/" + name
            guard FileIdentity(path: path) != nil else { return path }
        }
        return nil
    }
}
