import Foundation

/// A file that one process at a time appends to or replaces.
///
///     PATH        the file
///     PATH.new    its replacement, before it is renamed
///     PATH.lock   held while the file is open
struct OutboxFile: ~Copyable {
    let path: String
    private let lock: Int32
    private var file: Int32
    /// The size of the file in bytes, as far as it was read and written.
    private(set) var count = 0

    /// Opens a file, and creates it if it does not exist.
    ///
    /// - Throws: `ClientError`: `outboxInUse`, `outboxFailed`.
    init(path: String) throws(ClientError) {
        let lock = try Self.takeLock(of: path)
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let error = Self.failure(path, "open")
            Self.release(lock)
            throw error
        }
        self.path = path
        self.lock = lock
        self.file = file
    }

    private static func takeLock(of path: String) throws(ClientError) -> Int32 {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure(path, "open \(path).lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let error: ClientError = errno == EWOULDBLOCK ? .outboxInUse(path) : failure(path, "lock \(path).lock")
            close(lock)
            throw error
        }
        return lock
    }

    deinit {
        close(file)
        Self.release(lock)
    }

    private static func release(_ lock: Int32) {
        // A child process may have the descriptor too, until it executes its program: closing alone would
        // leave it the lock.
        _ = flock(lock, LOCK_UN)
        close(lock)
    }

    /// Returns the content of the file.
    mutating func read() throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let read = pread(file, &chunk, chunk.count, off_t(bytes.count))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw Self.failure(path, "read") }
            guard read > 0 else { break }
            bytes += chunk[..<read]
        }
        count = bytes.count
        return bytes
    }

    /// Appends bytes, and waits for the disk if `isSafe`. If that fails, the file is unchanged.
    mutating func append(_ bytes: [UInt8], isSafe: Bool) throws(ClientError) {
        do throws(ClientError) {
            try Self.write(bytes, to: file, path)
            if isSafe, fsync(file) != 0 { throw Self.failure(path, "fsync") }
        } catch {
            _ = ftruncate(file, off_t(count))
            throw error
        }
        count += bytes.count
    }

    /// Replaces the content. If it is interrupted, either the old or the new content is there, complete.
    mutating func replace(with bytes: [UInt8]) throws(ClientError) {
        let new = path + ".new"
        let file = open(new, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure(path, "open \(new)") }
        do throws(ClientError) {
            try Self.write(bytes, to: file, path)
            if fsync(file) != 0 { throw Self.failure(path, "fsync \(new)") }
            if rename(new, path) != 0 { throw Self.failure(path, "rename \(new)") }
            try syncDirectory()
        } catch {
            close(file)
            throw error
        }
        close(self.file)
        self.file = file
        count = bytes.count
    }

    /// Syncs the directory, so that the name of the file is on disk.
    private func syncDirectory() throws(ClientError) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, "open \(directory)") }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw Self.failure(path, "fsync \(directory)") }
    }

    private static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws(ClientError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "write") }
            written += count
        }
    }

    private static func failure(_ path: String, _ operation: String) -> ClientError {
        .outboxFailed(path, "\(operation): \(String(cString: strerror(errno)))")
    }
}
