import ZeroMQ

/// The callers that wait for the outcome of a command.
struct Waiters {
    typealias Completion = CheckedContinuation<Void, any Error>

    struct Waiter {
        let id: UInt64
        let deadline: ContinuousClock.Instant
        /// The timeout, for the error message.
        let timeout: Duration
        let completion: Completion
        /// Whether it waits only for the disk.
        var isForStorage = false
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// A time before which no waiter is overdue.
    private(set) var deadline: ContinuousClock.Instant?

    mutating func add(_ waiter: Waiter) {
        waiters[waiter.id] = waiter
        deadline = min(deadline ?? waiter.deadline, waiter.deadline)
    }

    mutating func remove(_ id: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        if waiters.isEmpty { deadline = nil }
        return waiter
    }

    func isForStorage(_ id: UInt64) -> Bool { waiters[id]?.isForStorage ?? false }

    mutating func removeOverdue(at now: ContinuousClock.Instant) -> [Waiter] {
        guard let deadline, deadline <= now else { return [] }
        let overdue = waiters.values.filter { $0.deadline <= now }.sorted { $0.id < $1.id }
        for waiter in overdue { waiters[waiter.id] = nil }
        self.deadline = waiters.values.lazy.map(\.deadline).min()
        return overdue
    }

    mutating func removeAll() -> [Waiter] {
        defer {
            waiters.removeAll()
            deadline = nil
        }
        return waiters.values.sorted { $0.id < $1.id }
    }
}

/// The result for a waiter, which is resumed when no lock is held.
struct WaiterResult {
    let completion: Waiters.Completion
    let error: (any Error)?

    func resume() {
        if let error { completion.resume(throwing: error) } else { completion.resume() }
    }

    /// Returns the same result, except that a failed handshake takes the place of a broker that was not reached.
    func explained(by failure: HandshakeFailure?) -> WaiterResult {
        guard let failure, case .notConnected(let endpoint, _)? = error as? ClientError else { return self }
        return WaiterResult(completion: completion, error: ClientError.handshakeFailed(endpoint: endpoint, failure))
    }
}
