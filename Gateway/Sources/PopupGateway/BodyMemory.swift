import Synchronization

/// The memory of the bodies of all requests, from before they are received until they are answered.
final class BodyMemory: Sendable {
    private let used = Mutex(0)
    private let limit: Int

    /// Creates a memory without bodies.
    ///
    /// - Parameter limit: Its size in bytes.
    init(limit: Int = BodyMemory.limit) {
        self.limit = limit
    }

    /// Takes the memory of a body. Returns whether there was enough.
    func take(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard used + bytes <= limit else { return false }
            used += bytes
            return true
        }
    }

    /// Gives the memory of a body back.
    func release(_ bytes: Int) {
        used.withLock { $0 -= bytes }
    }

    /// The size in bytes: 64 of the largest batches.
    static let limit = 64 << 20
}
