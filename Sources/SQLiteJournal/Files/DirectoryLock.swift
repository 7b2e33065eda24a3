import SystemCalls

/// A lock that keeps other processes from writing the same journal. The system releases it when the process ends, in
/// whichever way it ends.
final class DirectoryLock {
    private let descriptor: Int32

    /// The identity of the locked file.
    var identity: FileIdentity? { FileIdentity(descriptor: descriptor) }

    /// Takes the lock.
    ///
    /// - Throws: `SQLiteJournalError.inUse` if another process holds it.
    init(_ directory: DataDirectory) throws(SQLiteJournalError) {
        let descriptor = try Files.open(directory.lock, O_RDWR | O_CREAT)
        // A process that calls `holder` holds it for a moment.
        var attempts = 10
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            attempts -= 1
            if code == EINTR || code == EWOULDBLOCK, attempts > 0 {
                usleep(5000)
                continue
            }
            let process = Self.process(descriptor)
            close(descriptor)
            guard code == EWOULDBLOCK else { throw .system("lock", directory.lock, code) }
            throw .inUse(directory: directory.path, process: process)
        }
        // The id is only for the messages of other processes. A lock on a full disk is valid without it, and a part of
        // the number would be wrong.
        let text = Array("\(getpid())\n".utf8)
        let path = directory.lock
        let isEmpty = ftruncate(descriptor, 0) == 0
        let isWritten = text.withUnsafeBytes { (try? Files.write($0, to: descriptor, at: 0, path: path)) != nil }
        if !isEmpty || !isWritten { _ = ftruncate(descriptor, 0) }
        self.descriptor = descriptor
    }

    deinit {
        // A child process that has not yet executed its program may share the descriptor.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func process(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        return Int32(String(decoding: text.prefix(max(count, 0)).prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// Returns the id of the process that holds the lock; `nil` if none does, or if its id is not known.
    static func holder(_ directory: DataDirectory) -> Int32? {
        let descriptor = SystemCalls.open(directory.lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Shared, and released at once: it delays the start of a broker at most for a moment.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return process(descriptor)
    }
}
