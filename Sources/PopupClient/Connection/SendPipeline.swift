import PopupProtocol

/// All that a connection sends, but for the presence of renderers: what waits, what is under way, and who waits for it.
///
///     append ──▶ queue ──▶ nextFrame ──▶ the socket took it ──▶ best effort: told
///                                              │
///                                              └──▶ confirmed: window ──▶ receive(acknowledgement): told
///                                                     ▲          │
///                                                     └─ again ──┘
struct SendPipeline {
    typealias Instant = ContinuousClock.Instant

    /// One frame's worth, not sent yet.
    struct Frame {
        var bytes: [UInt8] = []
        fileprivate var again: [UInt64] = []
        fileprivate var fresh = 0
    }

    /// Somebody waits until all that was added before is settled.
    private struct Flush {
        let id: UInt64
        let ordinal: UInt64
    }

    private(set) var queue: SendQueue
    private(set) var window: DeliveryWindow
    private var waiters = Waiters()
    private var flushes: [Flush] = []
    /// Confirmed commands that nobody waits for, so that what is refused of them is told by `flush`.
    private var unattended: Set<UInt64> = []
    private var refusals: UnreportedRefusals
    private let limits: ClientLimits
    // With an outbox file:
    let isStoring: Bool
    /// What its open commands take there.
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

    /// Goes on with what an outbox file says.
    ///
    /// - Parameter id: gives an entry its id.
    init(limits: ClientLimits, contents: OutboxContents, id: () -> UInt64) {
        self.limits = limits
        queue = SendQueue(limits: limits)
        window = DeliveryWindow(goingOnWith: contents)
        refusals = UnreportedRefusals(limit: limits.keptRefusals)
        isStoring = true
        storedBytes = contents.openBytes
        for command in contents.commands {
            let id = id()
            queue.append(id, command.body, storedAs: command.sequence)
            unattended.insert(id)
        }
    }

    // MARK: What comes in

    /// - Parameter waiter: nil: what becomes of it is told by `flush`.
    /// - Throws: `queueFull`, `outboxFull`, `outboxFailed`.
    mutating func append(_ entry: SendQueue.Entry, _ waiter: Waiters.Waiter?) throws(ClientError) {
        if isStoring, entry.kind == .confirmed {
            if let storageFailure { throw storageFailure }
            let bytes = storedBytes + queue.byteCount + entry.body.count + OutboxRecord.commandOverhead
            guard bytes <= limits.outboxBytes else { throw .outboxFull(limit: limits.outboxBytes) }
        }
        try queue.append(entry)
        if let waiter { waiters.add(waiter) }
        if entry.kind == .confirmed, waiter?.isForStorage ?? true { unattended.insert(entry.id) }
    }

    /// Nobody waits for it any more. It is not sent when it has not been.
    mutating func cancel(_ id: UInt64) -> Told? {
        if queue.remove(id) != nil { unattended.remove(id) }
        return waiters.remove(id).map { Told(completion: $0.completion, error: CancellationError()) }
    }

    mutating func reconnected(at now: Instant) {
        window.reconnected(at: now)
    }

    mutating func receive(_ ack: WireAck, at now: Instant, newName: () -> ProducerName) -> [Told] {
        var told: [Told] = []
        let producer = window.producer
        for settled in window.receive(ack, at: now, newName: newName) {
            if isStoring { self.settled.append(settled.sequence) }
            if let waiter = waiters.remove(settled.id) {
                told.append(Told(completion: waiter.completion, error: settled.refusal.map { ClientError.refused($0) }))
            } else if unattended.remove(settled.id) != nil, let refusal = settled.refusal {
                refusals.note(refusal)
            }
        }
        leaveAbandoned(at: now, newName)
        if window.producer != producer { renumber() }
        return told + endFlushes()
    }

    private mutating func leaveAbandoned(at now: Instant, _ newName: () -> ProducerName) {
        let left = window.leaveAbandoned(at: now, newName: newName)
        if isStoring { settled += left }
    }

    private mutating func endFlushes() -> [Told] {
        let settled = window.settledOrdinal
        let ended = flushes.filter { $0.ordinal <= settled }
        guard !ended.isEmpty else { return [] }
        flushes.removeAll { $0.ordinal <= settled }
        return ended.compactMap { flush in
            waiters.remove(flush.id).map { Told(completion: $0.completion, error: storageFailure ?? refusals.take()) }
        }
    }

    // MARK: What goes out

    /// When something is to be sent again; nil: never.
    var resendDeadline: Instant? { window.deadline }

    /// When somebody is to be told that it took too long.
    var patienceDeadline: Instant? {
        guard let first = queue.deadline else { return waiters.deadline }
        return min(first, waiters.deadline ?? first)
    }

    /// What goes out next: first what was sent before, then what waits, in order. Empty: only marks have been reached.
    ///
    /// - Returns: nil when there is nothing to do. `taken` makes it so.
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

    /// ZeroMQ has the frame now.
    mutating func taken(_ frame: Frame, at now: Instant) -> [Told] {
        window.sentAgain(frame.again, at: now)
        var told: [Told] = []
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
                    told.append(Told(completion: waiter.completion, error: nil))
                }
            }
        }
        return told + endFlushes()
    }

    // MARK: The outbox file

    /// What waits is numbered behind what is under way.
    private mutating func renumber() {
        window.number(through: queue.renumber(from: window.nextSequence) - 1)
    }

    /// The sequences that have been settled since it was asked the last time.
    mutating func takeSettled() -> [UInt64] {
        defer { settled.removeAll() }
        return settled
    }

    /// What is to be put on disk before it is sent. `stored` or `failed` ends it.
    mutating func beginStoring() -> [SendQueue.Entry] {
        isStoring ? queue.beginStoring() : []
    }

    mutating func stored(_ entries: [SendQueue.Entry], from first: UInt64) -> [Told] {
        queue.endStoring(from: first)
        window.number(through: first + UInt64(entries.count) - 1)
        return entries.compactMap { entry in
            guard waiters.isForStorage(entry.id) else { return nil }
            return waiters.remove(entry.id).map { Told(completion: $0.completion, error: nil) }
        }
    }

    mutating func failed(_ error: ClientError) -> [Told] {
        storageFailure = error
        return queue.failStoring().compactMap { entry in
            unattended.remove(entry.id)
            return waiters.remove(entry.id).map { Told(completion: $0.completion, error: error) }
        }
    }

    // MARK: The end

    /// Gives up what has waited too long.
    ///
    /// - Parameters:
    ///   - isConnected: why it has.
    ///   - newName: draws a name that leaves behind what was given up after it was sent.
    mutating func giveUpOverdue(
        at now: Instant, isConnected: Bool, _ endpoints: BrokerEndpoints, newName: () -> ProducerName
    ) -> [Told] {
        _ = queue.removeOverdue(at: now)
        let overdue = waiters.removeOverdue(at: now)
        guard !overdue.isEmpty else { return [] }
        let told = overdue.map { waiter in
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
            return Told(completion: waiter.completion, error: error)
        }
        let producer = window.producer
        leaveAbandoned(at: now, newName)
        if window.producer != producer { renumber() }
        return told + endFlushes()
    }

    /// Nothing more is sent.
    mutating func end(with failure: ClientError) -> [Told] {
        let unsent = Set(queue.removeAll().map(\.id))
        return waiters.removeAll().map { waiter in
            let isUnsent = unsent.contains(waiter.id)
            return Told(completion: waiter.completion, error: isUnsent ? failure : .closedBeforeAcknowledgement)
        }
    }
}
