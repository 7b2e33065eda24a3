import SystemCalls

/// Keeps other processes from writing the same journal, for as long as it is held: the system lets go of it when the
/// process ends, however it ends.
final class FolderLock {
    private let descriptor: Int32

    /// The file that is locked.
    var identity: FileIdentity? { FileIdentity(descriptor: descriptor) }

    /// Takes it.
    init(_ folder: DataDirectory) throws(SQLiteJournalError) {
        let descriptor = try Files.open(folder.lock, O_RDWR | O_CREAT)
        // Whoever asks for the holder has it for a moment.
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
            guard code == EWOULDBLOCK else { throw .system("lock", folder.lock, code) }
            throw .inUse(folder: folder.path, process: process)
        }
        // Only told to whoever comes too late: a lock on a full disk holds without it, and half a number is none.
        let text = Array("\(getpid())\n".utf8)
        let path = folder.lock
        let isEmpty = ftruncate(descriptor, 0) == 0
        let isWritten = text.withUnsafeBytes { (try? Files.write($0, to: descriptor, at: 0, path: path)) != nil }
        if !isEmpty || !isWritten { _ = ftruncate(descriptor, 0) }
        self.descriptor = descriptor
    }

    deinit {
        // A process that is just being started may have the descriptor, too, until it runs its program.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func process(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        return Int32(String(decoding: text.prefix(max(count, 0)).prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// The process that holds the lock; `nil` when none does, or its id is not known.
    static func holder(_ folder: DataDirectory) -> Int32? {
        let descriptor = SystemCalls.open(folder.lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Shared and let go at once: it does not keep a broker from starting but for this moment.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return process(descriptor)
    }
}
