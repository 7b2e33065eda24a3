import PopupProtocol
import Synchronization
import ZeroMQ

/// The thread of a connection, the only one that uses its sockets.
///
///     wait ──▶ subscribe, unsubscribe ──▶ read ingress ──▶ deliver messages ───▶ leases ──▶ send ──▶ drop what
///      ▲                                                                                              is overdue
///      └──────────────────────────────────────────────────────────────────────────────────────────────────┘
final class ConnectionLoop: @unchecked Sendable {
    // Unchecked: it is created on one thread, and then used only on the thread of the connection.
    private let endpoints: BrokerEndpoints
    private let mailbox: Mailbox
    private var keeper: OutboxKeeper?
    private var sockets: ConnectionSockets?
    private var subscribers = SubscriberTable()
    private let message = Message()
    /// Whether a node receives commands.
    private var isConnected = false
    private var newestEpoch: NewestEpoch
    /// Whether the broker, or the owner of a fleet, was heard lately.
    private var confirmation: Confirmation
    private var hasBeenConnected = false
    /// Whether ZeroMQ's queue to the broker was full at the last attempt.
    private var isBlocked = false
    /// The number of changes of subscriptions since all nodes were last connected: those that may wait for a node.
    private var unsentChanges = 0
    /// The producer name whose acknowledgements are subscribed to.
    private var acknowledged: ProducerName?

    /// The maximum number of messages that are delivered in one round.
    private static let messagesPerRound = 128
    /// The maximum number of changes of subscriptions that wait for a node.
    private static let mostUnsentChanges = 50_000
    /// The pause in ms before the next attempt after a full queue, which does not signal when it has room again.
    private static let blockedPause = 2

    init(
        _ endpoints: BrokerEndpoints, _ keys: ClientKeys?, _ mailbox: Mailbox, _ keeper: OutboxKeeper?
    ) throws(ZeroMQError) {
        self.endpoints = endpoints
        self.mailbox = mailbox
        self.keeper = keeper
        confirmation = Confirmation(timeout: mailbox.limits.confirmationTimeout)
        newestEpoch = NewestEpoch(isOfFleet: BrokerEndpoints.list(endpoints.egress).count > 1)
        sockets = try ConnectionSockets(
            endpoints, keys, lingerMilliseconds: Int32(clamping: mailbox.limits.lingerTime.wireMilliseconds))
    }

    /// Runs until the mailbox is closed. When it returns, everything that was sent has left, or the linger time is over.
    func run() {
        var failure: ClientError = .closed
        do throws(ZeroMQError) {
            try loop()
        } catch {
            failure = .socket(error)
        }
        end(with: failure)
    }

    private func loop() throws(ZeroMQError) {
        guard var sockets = sockets.take() else { return }
        defer { sockets.stopMonitoring() }
        try followAcks(on: sockets.egress)
        var poller = try sockets.poller()
        _ = poller.add(mailbox.wakeup)
        while true {
            _ = try poller.wait(timeoutMilliseconds: pause(sockets))
            mailbox.wakeup.drain()
            try sockets.updateHandshakes(at: .now)
            guard try applyChanges(to: sockets.egress) else { return try endLeases(through: sockets) }
            try readIngress(sockets)
            if try deliver(from: sockets.egress) { sockets.egressHandshakes.succeed() }
            if confirmation.expire(at: .now) { subscribers.confirm(false) }
            try followAcks(on: sockets.egress)
            if sockets.egressHandshakes.isConnected { try applySyncTopics(to: sockets.egress) }
            try limitUnsentChanges(for: &sockets)
            isBlocked = false
            // Leases are sent first, because a report without a lease counts until the popup closes.
            try sendPresence(to: sockets)
            keeper?.keepUp(with: mailbox)
            try send(to: sockets, afterFailure: sockets.handshakeFailure)
        }
    }

    /// Returns the time in ms until the next deadline, or until sockets connect again; `nil` if there is none.
    private func pause(_ sockets: borrowing ConnectionSockets) -> Int? {
        if isConnected, isBlocked { return Self.blockedPause }
        let deadlines = mailbox.state.withLock { state in
            isConnected
                ? [state.presences.deadline, state.pipeline.resendDeadline, state.pipeline.waiterDeadline]
                : [state.pipeline.waiterDeadline, state.arrivals.deadline]
        }
        let asking = sockets.egressHandshakes.isConnected ? subscribers.deadline : nil
        let others = [sockets.nextAttempt, asking, confirmation.deadline]
        guard let deadline = (deadlines + others).lazy.compactMap(\.self).min() else { return nil }
        // Rounded up: there is nothing to do before the deadline.
        return Int(ContinuousClock.now.duration(to: deadline).wireMilliseconds) + 1
    }

    // MARK: Subscriptions

    /// Applies requests of tasks.
    ///
    /// - Returns: False if the connection is to close.
    private func applyChanges(to egress: borrowing Socket) throws(ZeroMQError) -> Bool {
        let (changes, isClosing) = mailbox.state.withLock { state in
            guard !state.isClosing else { return ([Mailbox.Change](), true) }
            defer { state.changes.removeAll() }
            return (state.changes, false)
        }
        for change in changes {
            switch change {
            case .subscribe(let id, let subscriber):
                subscribers.insert(subscriber, as: id)
                for prefix in subscriber.prefixes { try apply(.subscribe(prefix), to: egress) }
            case .unsubscribe(let id):
                guard let subscriber = subscribers.remove(id) else { continue }
                for topic in subscriber.prefixes + subscriber.temporaryTopics {
                    try apply(.unsubscribe(topic), to: egress)
                }
            }
        }
        return !isClosing
    }

    /// Subscribes to the `sync` topics by which subscribers ask for what they missed. Nobody asks without a connection.
    private func applySyncTopics(to egress: borrowing Socket) throws(ZeroMQError) {
        for change in subscribers.changes(at: .now) { try apply(change, to: egress) }
    }

    private func apply(_ change: SubscriptionChange, to egress: borrowing Socket) throws(ZeroMQError) {
        switch change {
        case .subscribe(let topic): try egress.subscribe(to: topic)
        case .unsubscribe(let topic): try egress.unsubscribe(from: topic)
        }
        unsentChanges += 1
    }

    /// Limits the changes of subscriptions that wait for a node to which there is no connection: the socket's queue of these
    /// has no limit. A new connection begins with the present subscriptions.
    private func limitUnsentChanges(for sockets: inout ConnectionSockets) throws(ZeroMQError) {
        if sockets.egressHandshakes.areAllConnected { unsentChanges = 0 }
        guard unsentChanges > Self.mostUnsentChanges else { return }
        unsentChanges = 0
        try sockets.egressHandshakes.dropUnsent(of: sockets.egress)
    }

    /// Subscribes to acknowledgements, before anything is sent: the broker repeats one that arrives before the subscription
    /// only on request.
    private func followAcks(on egress: borrowing Socket) throws(ZeroMQError) {
        let producer = mailbox.state.withLock { $0.pipeline.window.producer }
        guard producer != acknowledged else { return }
        try apply(.subscribe(Topic.acks(producer: producer, .binary).text), to: egress)
        if let acknowledged { try apply(.unsubscribe(Topic.acks(producer: acknowledged, .binary).text), to: egress) }
        acknowledged = producer
    }

    // MARK: Receiving

    /// Reads the subscriptions of the nodes to everything. One arrives when a node has accepted the connection, and is
    /// cancelled when the connection is lost.
    private func readIngress(_ sockets: borrowing ConnectionSockets) throws(ZeroMQError) {
        for connection in sockets.ingress {
            while try connection.socket.receive(into: message) {
                guard message.count == 1 else { continue }
                let wasConnected = isConnected
                connection.isReady = message.unsafeBytes[0] == 1
                isConnected = sockets.isReady
                // What was sent may be lost with a node, and another one knows nothing of it.
                if connection.isReady { opened(besideOthers: wasConnected) }
                mailbox.state.withLock { state in
                    state.isConnected = isConnected
                    if !isConnected { state.presences.disconnect() }
                }
            }
        }
        guard isConnected else { return }
        for waiter in mailbox.state.withLock({ $0.arrivals.removeAll() }) { waiter.completion.resume() }
    }

    private func opened(besideOthers: Bool) {
        if hasBeenConnected {
            subscribers.reconnected(at: .now)
        }
        hasBeenConnected = true
        sendAgain(newNode: besideOthers)
    }

    /// Sends everything that is not settled again, and to a node that is not the one before all leases, too.
    private func sendAgain(newNode: Bool) {
        mailbox.state.withLock { state in
            state.pipeline.reconnected(at: .now)
            if newNode { state.presences.disconnect() }
        }
    }

    /// Whether a message counts. The first one of another owner shows that what was sent may be lost.
    private func isCurrent(_ message: EgressMessage) -> Bool {
        switch newestEpoch.record(message) {
        case .older: return false
        case .present: return true
        case .next:
            sendAgain(newNode: true)
            return true
        }
    }

    /// Delivers messages to the subscribers.
    ///
    /// - Returns: Whether there were any.
    private func deliver(from egress: borrowing Socket) throws(ZeroMQError) -> Bool {
        var now: ContinuousClock.Instant?
        for _ in 0..<Self.messagesPerRound {
            guard try egress.receive(into: message) else { return now != nil }
            guard let decoded = try decode(from: egress), isCurrent(decoded) else { continue }
            let received = now ?? .now
            now = received
            if confirmation.recordMessage(at: received) { subscribers.confirm(true) }
            if case .ack(let producer, let ack) = decoded {
                take(ack, for: producer, at: received)
            } else {
                subscribers.receive(decoded, at: received)
            }
        }
        return now != nil
    }

    /// Decodes the message whose first frame was received, and receives the rest of it. Returns `nil` for a message that
    /// this version cannot read.
    private func decode(from egress: borrowing Socket) throws(ZeroMQError) -> EgressMessage? {
        guard message.more else { return EgressMessage(frame: message.copy()) }
        let topic = Self.topic(of: message)
        guard try egress.receive(into: message) else { return nil }
        let decoded = message.more ? nil : topic.flatMap { EgressMessage(message.copy(), on: $0) }
        while message.more, try egress.receive(into: message) {}
        return decoded
    }

    private func take(_ ack: WireAck, for producer: ProducerName, at now: ContinuousClock.Instant) {
        let results = mailbox.state.withLock { state -> [WaiterResult] in
            // It may be for an earlier name.
            guard producer == state.pipeline.window.producer else { return [] }
            return state.pipeline.receive(ack, at: now, newName: Self.drawName)
        }
        for result in results { result.resume() }
    }

    private static func drawName() -> ProducerName {
        var generator = SystemRandomNumberGenerator()
        return ProducerName(using: &generator)
    }

    private static func topic(of message: borrowing Message) -> String? {
        String(validating: message.copy(), as: UTF8.self)
    }

    // MARK: Sending

    private func sendPresence(to sockets: borrowing ConnectionSockets) throws(ZeroMQError) {
        guard isConnected else { return }
        let isReported = try mailbox.state.withLock { (state) throws(ZeroMQError) in
            try state.presences.sendDue(at: .now) { (commands) throws(ZeroMQError) in
                try sockets.send(Self.frame(of: commands))
            }
        }
        if !isReported { isBlocked = true }
    }

    private func endLeases(through sockets: borrowing ConnectionSockets) throws(ZeroMQError) {
        guard isConnected else { return }
        let finalLeases = mailbox.state.withLock { $0.presences.finalLeases }
        if !finalLeases.isEmpty { _ = try sockets.send(Self.frame(of: finalLeases)) }
    }

    private static func frame(of commands: [WireCommand.OneOf_Command]) -> [UInt8] {
        var batch = WireBatch()
        batch.commands = commands.map { kind in
            var command = WireCommand()
            command.command = kind
            return command
        }
        // Encoding a message of this schema cannot fail.
        return (try? WireEncoding.binary.encode(batch)) ?? []
    }

    /// Sends what can be sent, and drops what has waited too long.
    ///
    /// - Parameter failure: Why the broker cannot be reached, if the handshake failed.
    private func send(
        to sockets: borrowing ConnectionSockets, afterFailure failure: HandshakeFailure?
    ) throws(ZeroMQError) {
        while isConnected, !isBlocked, let results = try sendFrame(to: sockets) {
            for result in results { result.resume() }
        }
        let results = mailbox.state.withLock { state in
            let pipeline = state.pipeline.dropOverdue(
                at: .now, isConnected: isConnected, endpoints, newName: Self.drawName)
            let arrivals = state.arrivals.removeOverdue(at: .now).map { waiter in
                WaiterResult(
                    completion: waiter.completion,
                    error: ClientError.notConnected(endpoint: endpoints.ingress, after: waiter.timeout))
            }
            return (pipeline + arrivals).map { $0.explained(by: failure) }
        }
        for result in results { result.resume() }
    }

    /// Sends the next frame.
    ///
    /// - Returns: The waiters to resume; `nil` if no more can be sent now.
    private func sendFrame(to sockets: borrowing ConnectionSockets) throws(ZeroMQError) -> [WaiterResult]? {
        // The lock is held while sending, which does not block: so a command is either cancelled or sent.
        try mailbox.state.withLock { (state) throws(ZeroMQError) -> [WaiterResult]? in
            let now = ContinuousClock.now
            guard let frame = state.pipeline.nextFrame(at: now) else { return nil }
            let isTaken = frame.bytes.isEmpty ? true : try sockets.send(frame.bytes)
            guard isTaken else {
                isBlocked = true
                return nil
            }
            return state.pipeline.taken(frame, at: now)
        }
    }

    // MARK: End

    private func end(with failure: ClientError) {
        let (results, changes) = mailbox.state.withLock { state in
            state.isClosing = true
            state.isConnected = false
            defer { state.changes.removeAll() }
            let arrivals = state.arrivals.removeAll().map { WaiterResult(completion: $0.completion, error: failure) }
            return (state.pipeline.end(with: failure) + arrivals, state.changes)
        }
        for result in results { result.resume() }
        for case .subscribe(let id, let subscriber) in changes { subscribers.insert(subscriber, as: id) }
        subscribers.finish(failure)
        // The file is closed before callers learn that the connection is closed.
        keeper = nil
        let waiters = mailbox.state.withLock { state in
            state.hasClosed = true
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
