import PopupProtocol
import Synchronization

/// A router that delivers the replies to a connection's queries to their callers.
final class ReplyRouter: Subscriber {
    /// A query in progress.
    private enum Query {
        case asked
        case awaited(CheckedContinuation<WireReply, any Error>)
        case answered(WireReply)
    }

    private struct State {
        var asked: UInt64 = 0
        var queries: [String: Query] = [:]
        var end: ClientError?
    }

    let prefixes: [String]
    let isStream = false
    private let client: String
    private let state = Mutex(State())

    /// Creates a router for the queries of a client. One subscription serves all of them, so only the first query can
    /// overtake it.
    init(client: String) {
        self.client = client
        prefixes = ["\(Channel.replies.prefix)\(client)/"]
    }

    /// Begins a query.
    ///
    /// - Returns: A nonce that this connection has not used.
    func open() -> String {
        state.withLock { state in
            state.asked += 1
            let nonce = "\(state.asked)"
            state.queries[nonce] = .asked
            return nonce
        }
    }

    /// Waits for the reply to a query.
    func reply(to nonce: String) async throws -> WireReply {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<WireReply, any Error>? in
                    if let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if case .answered(let reply)? = state.queries[nonce] { return .success(reply) }
                    state.queries[nonce] = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            close(nonce)
        }
    }

    /// Ends a query: a later reply is ignored.
    func close(_ nonce: String) {
        if case .awaited(let continuation)? = state.withLock({ $0.queries.removeValue(forKey: nonce) }) {
            continuation.resume(throwing: CancellationError())
        }
    }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        // Other routers of the connection use the same numbers.
        guard case .reply(let reply) = message, reply.client == client else { return }
        let awaiting = state.withLock { state -> CheckedContinuation<WireReply, any Error>? in
            // A repeated query may be answered again after it has ended.
            guard let query = state.queries[reply.nonce] else { return nil }
            state.queries[reply.nonce] = .answered(reply)
            return if case .awaited(let continuation) = query { continuation } else { nil }
        }
        awaiting?.resume(returning: reply)
    }

    func finish(_ error: ClientError?) {
        let queries = state.withLock { state in
            state.end = error ?? .closed
            defer { state.queries.removeAll() }
            return state.queries.values
        }
        for case .awaited(let continuation) in queries { continuation.resume(throwing: error ?? .closed) }
    }
}
