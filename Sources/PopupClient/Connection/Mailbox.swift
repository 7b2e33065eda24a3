import PopupProtocol
import Synchronization
import ZeroMQ

/// What tasks leave for the connection's thread.
final class Mailbox: Sendable {
    /// A change of what is subscribed to.
    enum Change {
        case subscribe(id: UInt64, any Subscriber)
        case unsubscribe(id: UInt64)
    }

    struct State {
        var outbox: Outbox
        var presences: Presences
        var changes: [Change] = []
        var nextID: UInt64 = 1
        var streams = 0
        /// What the thread knows of the gate, for others.
        var isConnected = false
        var isClosing = false
        var hasClosed = false
        var closeWaiters: [CheckedContinuation<Void, Never>] = []

        mutating func takeID() -> UInt64 {
            defer { nextID += 1 }
            return nextID
        }
    }

    let limits: ClientLimits
    let wakeup: Wakeup
    let state: Mutex<State>

    init(limits: ClientLimits) throws(ZeroMQError) {
        self.limits = limits
        wakeup = try Wakeup()
        state = Mutex(State(outbox: Outbox(limits: limits), presences: Presences(limits: limits)))
    }

    /// Waits until a command has been handed to ZeroMQ on a live connection; empty: until all before it have been.
    func send(_ bytes: [UInt8], timeout: Duration) async throws {
        let id = state.withLock { $0.takeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { completion in
                do throws(ClientError) {
                    try append(bytes, id: id, timeout: timeout, completion: completion)
                } catch {
                    completion.resume(throwing: error)
                }
                // A cancellation before the command was in the queue has found nothing to cancel.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Leaves a command to be sent; what becomes of it is not told.
    func enqueue(_ bytes: [UInt8]) throws(ClientError) {
        let id = state.withLock { $0.takeID() }
        try append(bytes, id: id, timeout: limits.sendTimeout, completion: nil)
    }

    private func append(
        _ bytes: [UInt8], id: UInt64, timeout: Duration, completion: Outbox.Completion?
    ) throws(ClientError) {
        guard bytes.count <= limits.commandBytes else {
            throw .tooLarge(bytes: bytes.count, limit: limits.commandBytes)
        }
        let entry = Outbox.Entry(
            id: id, bytes: bytes, deadline: .now + timeout, timeout: timeout, completion: completion)
        try state.withLock { (state) throws(ClientError) in
            guard !state.isClosing else { throw .closed }
            try state.outbox.append(entry)
        }
        wakeup.signal()
    }

    private func cancel(_ id: UInt64) {
        let entry = state.withLock { $0.outbox.remove(id) }
        entry?.completion?.resume(throwing: CancellationError())
    }

    /// - Parameter subject: the renderer that the stream serves, if it does.
    func subscribe(_ subscriber: some Subscriber, for subject: RendererSubject? = nil) throws(ClientError) -> UInt64 {
        let id = try state.withLock { (state) throws(ClientError) in
            guard !state.isClosing else { throw .closed }
            guard state.streams < limits.streams else { throw .tooManyStreams(limit: limits.streams) }
            let id = state.takeID()
            if let subject { try state.presences.follow(id, subject) }
            state.streams += 1
            state.changes.append(.subscribe(id: id, subscriber))
            return id
        }
        wakeup.signal()
        return id
    }

    func unsubscribe(_ id: UInt64) {
        state.withLock { state in
            state.streams -= 1
            state.presences.leave(id)
            if !state.isClosing { state.changes.append(.unsubscribe(id: id)) }
        }
        wakeup.signal()
    }

    /// The application has a screen of a renderer's stream now.
    func handOver(_ screen: Screen, in stream: UInt64) {
        state.withLock { $0.presences.handOver(screen, in: stream) }
        wakeup.signal()
    }

    /// The person can see a renderer's screens, or can't.
    func setVisible(_ isVisible: Bool, client: String) {
        state.withLock { $0.presences.setVisible(isVisible, client: client) }
        wakeup.signal()
    }

    /// Asks the thread to end.
    func close() {
        state.withLock { $0.isClosing = true }
        wakeup.signal()
    }

    /// Waits until the thread has ended.
    func closed() async {
        await withCheckedContinuation { waiter in
            let hasClosed = state.withLock { state in
                if !state.hasClosed { state.closeWaiters.append(waiter) }
                return state.hasClosed
            }
            if hasClosed { waiter.resume() }
        }
    }
}
