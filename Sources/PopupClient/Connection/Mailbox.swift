import PopupProtocol
import Synchronization
import ZeroMQ

/// The requests of tasks to the thread of the connection.
final class Mailbox: Sendable {
    /// A change of subscriptions.
    enum Change {
        case subscribe(id: UInt64, any Subscriber)
        case unsubscribe(id: UInt64)
    }

    struct State {
        var pipeline: SendPipeline
        /// The tasks that wait until a node receives commands.
        var arrivals = Waiters()
        var presences: Presences
        var changes: [Change] = []
        var nextID: UInt64 = 1
        /// The subscriptions that count towards the limit of streams.
        var streams: Set<UInt64> = []
        /// Whether a node receives commands, as far as the thread knows.
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

    /// Creates a mailbox.
    ///
    /// - Parameter contents: The contents of the outbox file, if there is one.
    init(limits: ClientLimits, producer: ProducerName, contents: OutboxContents?) throws(ZeroMQError) {
        self.limits = limits
        wakeup = try Wakeup()
        var nextID: UInt64 = 1
        let pipeline =
            contents.map { contents in
                SendPipeline(limits: limits, contents: contents) {
                    defer { nextID += 1 }
                    return nextID
                }
            } ?? SendPipeline(limits: limits, producer: producer)
        state = Mutex(State(pipeline: pipeline, presences: Presences(limits: limits), nextID: nextID))
    }

    /// Sends a command, and waits until it is acknowledged (confirmed) or until ZeroMQ has it on a live connection (best
    /// effort).
    func send(_ body: [UInt8], _ kind: SendQueue.Entry.Kind, timeout: Duration) async throws {
        try check(body, kind)
        try await wait(timeout: timeout) { (state, waiter) throws(ClientError) in
            try state.pipeline.append(
                SendQueue.Entry(id: waiter.id, kind: kind, body: body, deadline: nil), waiter)
        }
    }

    /// Queues a command. `flush` reports refusals of confirmed commands; a best-effort command is dropped if it cannot be
    /// sent in time.
    func enqueue(_ body: [UInt8], _ kind: SendQueue.Entry.Kind) throws(ClientError) {
        try check(body, kind)
        let deadline = kind == .confirmed ? nil : ContinuousClock.now + limits.sendTimeout
        try state.withLock { (state) throws(ClientError) in
            guard !state.isClosing else { throw .closed }
            let entry = SendQueue.Entry(id: state.takeID(), kind: kind, body: body, deadline: deadline)
            try state.pipeline.append(entry, nil)
        }
        wakeup.signal()
    }

    /// Queues commands, and waits until they are on disk or, without an outbox, all commands so far are settled.
    func submit(_ bodies: [[UInt8]]) async throws {
        guard let last = bodies.last else { return }
        for body in bodies.dropLast() { try enqueue(body, .confirmed) }
        guard state.withLock({ $0.pipeline.isStoring }) else {
            try enqueue(last, .confirmed)
            return try await flush(timeout: limits.sendTimeout)
        }
        try check(last, .confirmed)
        try await wait(timeout: limits.sendTimeout, isForStorage: true) { (state, waiter) throws(ClientError) in
            try state.pipeline.append(
                SendQueue.Entry(id: waiter.id, kind: .confirmed, body: last, deadline: nil), waiter)
        }
    }

    /// Waits until all best-effort commands so far are sent, and all confirmed ones are settled.
    func flush(timeout: Duration) async throws {
        try await send([], .marker, timeout: timeout)
    }

    /// Waits until a node receives commands.
    func connected(timeout: Duration) async throws {
        try await wait(timeout: timeout) { $0.arrivals.add($1) }
    }

    private func check(_ body: [UInt8], _ kind: SendQueue.Entry.Kind) throws(ClientError) {
        let bytes = body.count + (kind == .confirmed ? CommandHeader.maximumBytes : 0)
        guard bytes <= limits.commandBytes else { throw .tooLarge(bytes: bytes, limit: limits.commandBytes) }
    }

    private func wait(
        timeout: Duration, isForStorage: Bool = false,
        _ add: @Sendable (inout State, Waiters.Waiter) throws(ClientError) -> Void
    ) async throws {
        let id = state.withLock { $0.takeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { completion in
                let waiter = Waiters.Waiter(
                    id: id, deadline: .now + timeout, timeout: timeout, completion: completion,
                    isForStorage: isForStorage)
                do throws(ClientError) {
                    try state.withLock { (state) throws(ClientError) in
                        guard !state.isClosing else { throw .closed }
                        try add(&state, waiter)
                    }
                    wakeup.signal()
                } catch {
                    completion.resume(throwing: error)
                }
                // A cancellation before the command was in the queue has had no effect.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let result = state.withLock { state -> WaiterResult? in
            if let result = state.pipeline.cancel(id) { return result }
            return state.arrivals.remove(id).map { WaiterResult(completion: $0.completion, error: CancellationError()) }
        }
        result?.resume()
    }

    /// Adds a subscriber.
    ///
    /// - Parameter subject: The renderer whose stream it is, if any.
    func subscribe(_ subscriber: some Subscriber, for subject: RendererSubject? = nil) throws(ClientError) -> UInt64 {
        let id = try state.withLock { (state) throws(ClientError) in
            guard !state.isClosing else { throw .closed }
            guard !subscriber.isStream || state.streams.count < limits.streams else {
                throw .tooManyStreams(limit: limits.streams)
            }
            let id = state.takeID()
            if let subject { try state.presences.follow(id, subject) }
            if subscriber.isStream { state.streams.insert(id) }
            state.changes.append(.subscribe(id: id, subscriber))
            return id
        }
        wakeup.signal()
        return id
    }

    func unsubscribe(_ id: UInt64) {
        state.withLock { state in
            state.streams.remove(id)
            state.presences.leave(id)
            if !state.isClosing { state.changes.append(.unsubscribe(id: id)) }
        }
        wakeup.signal()
    }

    /// Records that the application has received a state of a renderer's stream.
    func deliver(_ groupState: GroupState, in stream: UInt64) {
        state.withLock { $0.presences.deliver(groupState, in: stream) }
        wakeup.signal()
    }

    /// Records whether the user can see a renderer.
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
