import Synchronization

/// The memory of the bodies of all requests, from before they are received until they are answered. One token has at most a
/// quarter of it, and so have all without a token together.
final class BodyMemory: Sendable {
    private struct State {
        var used = 0
        var usedByOwner: [TokenHash?: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates a memory without bodies.
    ///
    /// - Parameter limit: Its size in bytes.
    init(limit: Int = BodyMemory.limit) {
        self.limit = limit
    }

    /// Takes the memory of a body. Returns whether there was enough.
    func take(_ bytes: Int, for owner: TokenHash?) -> Bool {
        state.withLock { state in
            let used = state.usedByOwner[owner] ?? 0
            guard bytes <= limit - state.used, bytes <= limit / Self.ownersShare - used else { return false }
            state.used += bytes
            if bytes > 0 { state.usedByOwner[owner] = used + bytes }
            return true
        }
    }

    /// Gives memory of a body back.
    func release(_ bytes: Int, for owner: TokenHash?) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.used -= bytes
            let used = (state.usedByOwner[owner] ?? 0) - bytes
            state.usedByOwner[owner] = used > 0 ? used : nil
        }
    }

    /// The size in bytes: 64 of the largest batches.
    static let limit = 64 << 20
    /// The part that one token may have is one of this many.
    private static let ownersShare = 4
}
