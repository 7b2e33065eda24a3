import Foundation
import Synchronization
import SystemCalls

/// An open file, pipe or terminal that is read without blocking the thread of a task.
public final class OpenFile: Sendable {
    /// The descriptor, which is closed with the file.
    public let descriptor: CInt
    private let name: String
    private let queue = DispatchQueue(label: "examples.reading")
    private let isCancelled = Mutex(false)

    /// Creates a file that owns a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - name: The name in messages.
    public init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a file, also a pipe that nobody writes to yet; `nil` if it cannot be opened.
    public init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        name = path
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Whether it is a directory, which cannot be read.
    public var isDirectory: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the bytes that can be read now, or waits for some. Returns none at the end, and if the task is cancelled.
    ///
    /// - Throws: `Failure` with the code 66 if it cannot be read.
    public func read() async throws(Failure) -> [UInt8] {
        let result: Result<[UInt8], Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.wait()) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        return try result.get()
    }

    /// Moves to a position; `nil`: to the end.
    public func seek(to position: Int? = nil) {
        lseek(descriptor, off_t(position ?? 0), position == nil ? SEEK_END : SEEK_SET)
    }

    private func wait() -> Result<[UInt8], Failure> {
        while !isCancelled.withLock({ $0 }) {
            var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // The waits are short, so that a cancellation is noticed.
            guard poll(&file, 1, 100) > 0 else { continue }
            let (bytes, code) = InputFile.readOnce(descriptor, upTo: 65536)
            if code == 0 { return .success(bytes) }
            // Another reader of the same pipe was faster.
            if code != EAGAIN { return .failure(Failure(InputError(name: name, code: code))) }
        }
        return .success([])
    }
}
