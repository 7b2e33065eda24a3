import PopupProtocol

/// The pipeline for everything that a connection sends, except for leases and reports: the queue, the commands in flight,
/// and the callers that wait for them.
///
///     append ──▶ queue ──▶ nextFrame ──▶ the socket took it ──▶ best effort: done
///                                              │
///                                              └──▶ confirmed: window ──▶ receive(acknowledgement): done
///                                                     ▲          │
///                                                     └─ again ──┘
struct SendPipeline {
    typealias Instant = ContinuousClock.Instant

    /// The content of one frame that is not sent yet.
    struct Frame {
        var bytes: [UInt8] = []
        fileprivate var again: [UInt64] = []
        fileprivate var fresh = 0
    }

    /// A caller that waits until all earlier commands are settled.
    private struct Flush {
        let id: UInt64
        let ordinal: UInt64
    }

    private(set) var queue: SendQueue
    private(set) var window: DeliveryWindow
    private var waiters = Waiters()
    private var flushes: [Flush] = []
    /// The confirmed commands that no caller waits for; `flush` reports their refusals.
    private var unawaited: Set<UInt64> = []
    private var refusals: UnreportedRefusals
    private let limits: ClientLimits
    // With an outbox file:
    let isStoring: Bool
    /// The bytes of the open commands in the file.
    var storedBytes = 0
    private var storageFailure: ClientError?
    private var settled: [UInt64] = []

    init(limits: ClientLimits, producer: ProducerName) {
        self.limits = limits
        queue = SendQueue(limits: limits)
        window = DeliveryWindow(producer: producer)
        refusals = UnreportedRefusals(limit: limits.keptRefusals)
        isStoring = false
    }

    /// Creates a pipeline that continues with the contents of an outbox file.
    ///
    /// - Parameter id: Returns the id for an entry.
    init(limits: ClientLimits, contents: OutboxContents, id: () -> UInt64) {
        self.limits = limits
        queue = SendQueue(limits: limits)
        window = DeliveryWindow(continuing: contents)
        refusals = UnreportedRefusals(limit: limits.keptRefusals)
        isStoring = true
        storedBytes = contents.openBytes
        for command in contents.commands {
            let id = id()
            queue.append(id, command.body, storedAs: command.sequence)
            unawaited.insert(id)
        }
    }

    // MARK: Input

    /// Appends a command.
    ///
    /// - Parameter waiter: The caller that waits for it; `nil`: `flush` reports its outcome.
    /// - Throws: `queueFull`, `outboxFull`, `outboxFailed`.
    mutating func append(_ entry: SendQueue.Entry, _ waiter: Waiters.Waiter?) throws(ClientError) {
        if isStoring, entry.kind == .confirmed {
            if let storageFailure { throw storageFailure }
            let bytes = storedBytes + queue.byteCount + entry.body.count + OutboxRecord.commandOverhead
            guard bytes <= limits.outboxBytes else { throw .outboxFull(limit: limits.outboxBytes) }
        }
        try queue.append(entry)
        if let waiter { waiters.add(waiter) }
        if entry.kind == .confirmed, waiter?.isForStorage ?? true { unawaited.insert(entry.id) }
    }

    /// Cancels a command whose caller no longer waits. It is not sent if it has not been sent yet.
    mutating func cancel(_ id: UInt64) -> WaiterResult? {
        if queue.remove(id) != nil { unawaited.remove(id) }
        return waiters.remove(id).map { WaiterResult(completion: $0.completion, error: CancellationError()) }
    }

    mutating func reconnected(at now: Instant) {
        window.reconnected(at: now)
    }

    mutating func receive(_ ack: WireAck, at now: Instant, newName: () -> ProducerName) -> [WaiterResult] {
        var results: [WaiterResult] = []
        let producer = window.producer
        for settled in window.receive(ack, at: now, newName: newName) {
            if isStoring { self.settled.append(settled.sequence) }
            if let waiter = waiters.remove(settled.id) {
                results.append(
                    WaiterResult(completion: waiter.completion, error: settled.refusal.map { ClientError.refused($0) }))
            } else if unawaited.remove(settled.id) != nil, let refusal = settled.refusal {
                refusals.record(refusal)
            }
        }
        leaveAbandoned(at: now, newName)
        if window.producer != producer { renumber() }
        return results + endFlushes()
    }

    private mutating func leaveAbandoned(at now: Instant, _ newName: () -> ProducerName) {
        let left = window.leaveAbandoned(at: now, newName: newName)
        if isStoring { settled += left }
    }

    private mutating func endFlushes() -> [WaiterResult] {
        let settled = window.settledOrdinal
        let ended = flushes.filter { $0.ordinal <= settled }
        guard !ended.isEmpty else { return [] }
        flushes.removeAll { $0.ordinal <= settled }
        return ended.compactMap { flush in
            waiters.remove(flush.id).map {
                WaiterResult(completion: $0.completion, error: storageFailure ?? refusals.take())
            }
        }
    }

    // MARK: Output

    /// The time at which a command is to be sent again; `nil`: never.
    var resendDeadline: Instant? { window.deadline }

    /// The time at which the next caller times out.
    var waiterDeadline: Instant? {
        guard let first = queue.deadline else { return waiters.deadline }
        return min(first, waiters.deadline ?? first)
    }

    /// Returns the next frame: commands to be sent again first, then the queue, in order. It is empty if only markers were
    /// reached. Call `taken` when ZeroMQ has it.
    ///
    /// - Returns: `nil` if there is nothing to send.
    func nextFrame(at now: Instant) -> Frame? {
        var frame = Frame()
        var builder = FrameBuilder(limits: limits)
        let due = window.due(at: now)
        for command in due {
            guard builder.add(header: header(command.sequence), command.body) else { break }
            frame.again.append(command.sequence)
        }
        if frame.again.count == due.count { addFresh(to: &frame, &builder) }
        guard !frame.again.isEmpty || frame.fresh > 0 else { return nil }
        frame.bytes = builder.frame
        return frame
    }

    private func addFresh(to frame: inout Frame, _ builder: inout FrameBuilder) {
        var sequence = window.nextSequence
        var oldest = window.commands.first?.sequence
        for entry in queue.waiting {
            switch entry.kind {
            case .marker: break
            case .bestEffort:
                guard builder.add(entry.body) else { return }
            case .confirmed:
                if case .stored(let stored) = entry.storage { sequence = stored } else if isStoring { return }
                oldest = oldest ?? sequence
                guard DeliveryWindow.holds(sequence, from: oldest ?? sequence),
                    builder.add(header: header(sequence), entry.body)
                else { return }
                sequence += 1
            }
            frame.fresh += 1
        }
    }

    private func header(_ sequence: UInt64) -> [UInt8] {
        var header: [UInt8] = []
        CommandHeader.append(window.producer, sequence, to: &header)
        return header
    }

    /// Records that ZeroMQ has the frame.
    mutating func taken(_ frame: Frame, at now: Instant) -> [WaiterResult] {
        window.sentAgain(frame.again, at: now)
        var results: [WaiterResult] = []
        for entry in queue.removeFirst(frame.fresh) {
            switch entry.kind {
            case .confirmed:
                if case .stored(let sequence) = entry.storage {
                    window.add(entry.id, entry.body, as: sequence, at: now)
                } else {
                    window.add(entry.id, entry.body, at: now)
                }
            case .marker: flushes.append(Flush(id: entry.id, ordinal: window.added))
            case .bestEffort:
                if let waiter = waiters.remove(entry.id) {
                    results.append(WaiterResult(completion: waiter.completion, error: nil))
                }
            }
        }
        return results + endFlushes()
    }

    // MARK: The outbox file

    /// Numbers the queue after the commands in flight.
    private mutating func renumber() {
        window.number(through: queue.renumber(from: window.nextSequence) - 1)
    }

    /// Returns the sequences that were settled since the last call.
    mutating func takeSettled() -> [UInt64] {
        defer { settled.removeAll() }
        return settled
    }

    /// Returns the entries that must be on disk before they are sent. `stored` or `failed` ends this step.
    mutating func beginStoring() -> [SendQueue.Entry] {
        isStoring ? queue.beginStoring() : []
    }

    mutating func stored(_ entries: [SendQueue.Entry], from first: UInt64) -> [WaiterResult] {
        queue.endStoring(from: first)
        window.number(through: first + UInt64(entries.count) - 1)
        return entries.compactMap { entry in
            guard waiters.isForStorage(entry.id) else { return nil }
            return waiters.remove(entry.id).map { WaiterResult(completion: $0.completion, error: nil) }
        }
    }

    mutating func failed(_ error: ClientError) -> [WaiterResult] {
        storageFailure = error
        return queue.failStoring().compactMap { entry in
            unawaited.remove(entry.id)
            return waiters.remove(entry.id).map { WaiterResult(completion: $0.completion, error: error) }
        }
    }

    // MARK: End

    /// Drops commands that have waited too long.
    ///
    /// - Parameters:
    ///   - isConnected: Whether the broker is connected, which determines the error.
    ///   - newName: Returns a new producer name, under which the remaining commands continue.
    mutating func dropOverdue(
        at now: Instant, isConnected: Bool, _ endpoints: BrokerEndpoints, newName: () -> ProducerName
    ) -> [WaiterResult] {
        _ = queue.removeOverdue(at: now)
        let overdue = waiters.removeOverdue(at: now)
        guard !overdue.isEmpty else { return [] }
        let results = overdue.map { waiter in
            flushes.removeAll { $0.id == waiter.id }
            let error: ClientError =
                if queue.remove(waiter.id) != nil {
                    isConnected
                        ? .sendTimedOut(endpoint: endpoints.ingress, after: waiter.timeout)
                        : .notConnected(endpoint: endpoints.ingress, after: waiter.timeout)
                } else if let refusal = window.abandon(waiter.id, at: now) {
                    .refused(refusal)
                } else {
                    .acknowledgementTimedOut(endpoint: endpoints.egress, after: waiter.timeout)
                }
            return WaiterResult(completion: waiter.completion, error: error)
        }
        let producer = window.producer
        leaveAbandoned(at: now, newName)
        if window.producer != producer { renumber() }
        return results + endFlushes()
    }

    /// Ends the pipeline: nothing more is sent.
    mutating func end(with failure: ClientError) -> [WaiterResult] {
        let unsent = Set(queue.removeAll().map(\.id))
        return waiters.removeAll().map { waiter in
            let isUnsent = unsent.contains(waiter.id)
            return WaiterResult(completion: waiter.completion, error: isUnsent ? failure : .closedBeforeAcknowledgement)
        }
    }
}
