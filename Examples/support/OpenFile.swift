import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open file, pipe or terminal that is read without holding up a task's thread.
public final class OpenFile: Sendable {
    /// Its descriptor, closed with it.
    public let descriptor: CInt
    private let queue = DispatchQueue(label: "examples.reading")
    private let isCancelled = Mutex(false)

    /// Takes over a descriptor.
    public init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// nil: it can't be opened.
    public init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// What can be read now, or as soon as there is something; empty at the end, and when the task is cancelled.
    public func read() async -> [UInt8] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.wait()) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Moves to a place; nil: its end.
    public func seek(to position: Int? = nil) {
        lseek(descriptor, off_t(position ?? 0), position == nil ? SEEK_END : SEEK_SET)
    }

    private func wait() -> [UInt8] {
        while !isCancelled.withLock({ $0 }) {
            var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // In short steps: the end of the task has to be seen.
            guard poll(&file, 1, 100) > 0 else { continue }
            let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                #if canImport(Darwin)
                    count = max(0, Darwin.read(descriptor, buffer.baseAddress, buffer.count))
                #else
                    count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
                #endif
            }
            return bytes
        }
        return []
    }
}
