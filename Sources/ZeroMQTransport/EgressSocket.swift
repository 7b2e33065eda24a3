import PopupAccess
import PopupBroker
import ZeroMQ

/// The bound XPUB socket, which publishes messages and receives subscriptions, and the connections of subscribers.
final class EgressSocket {
    /// The maximum number of subscriptions that libzmq reads ahead for each connection. It handles all of them at once.
    private static let subscriptionsAhead: Int32 = 64
    /// The time in ms after which a reception counts as long: libzmq has handled the subscriptions of a whole connection
    /// in it, or its end. Everybody else is served before the next one.
    private static let longReception: Int64 = 5
    /// The maximum number of frames in a row of connections that have ended or were cut, before everybody else is served:
    /// a connection that ends leaves a withdrawal for each of its subscriptions.
    private static let leftoversAtOnce = 4 * MessageLimits.framesDroppedAtOnce
    /// The number of bytes around a prefix: those of the SUBSCRIBE command of ZMTP 3.1, and those of CURVE's MESSAGE
    /// around it with its nonce and its authentication (RFC 26).
    private static let framing = 12
    private static let protectedFraming = framing + 36

    let socket: Socket
    var connections: SocketConnections
    /// Cuts connections whose subscriptions prevent the loop from cutting them itself.
    let connectionGuard: SubscriberGuard
    private let isProtected: Bool
    /// Whether a subscription takes effect only when it is accepted.
    private let authorizesSubscriptions: Bool
    private let senders: Senders
    private let frame = Message()
    private let clock = SystemClock()
    /// Whether a subscription may have arrived. Otherwise the socket is not read, which takes a system call.
    var mayHaveSubscription = true
    /// Whether a reception has just taken longer than `longReception`.
    private var isLate = false
    /// The number of frames of connections that are gone since the last time that everybody else was served.
    private var leftovers = 0
    /// Whether the rest of a message with several frames has to be dropped.
    private var isDropping = false
    /// The number of dropped frames of that message.
    private var droppedFrames = 0
    /// Whether libzmq may attribute a subscription to another connection: see `receiveSubscription`.
    private var isOutOfStep = false
    /// Whether messages may be sent now. Otherwise they are kept: what one turn of the loop publishes.
    private let maySend: @Sendable () -> Bool
    /// The messages that were published and not sent yet.
    private var sendBatch = SendBatch()

    /// Creates a socket that is not bound. Its guard also reads the events of producers' connections.
    ///
    /// - Throws: `ZeroMQError` if the process has no more file descriptors, or if there is a key and libzmq has no
    ///   CURVE.
    init(
        _ context: Context, options: [SocketOption], limits: SocketLimits, subscriptions: SubscriptionLimits,
        senders: Senders, isProtected: Bool, authorizesSubscriptions: Bool, producers: ConnectionEvents,
        maySend: @escaping @Sendable () -> Bool
    ) throws(ZeroMQError) {
        self.maySend = maySend
        self.senders = senders
        self.isProtected = isProtected
        self.authorizesSubscriptions = authorizesSubscriptions
        socket = try Socket(
            context, .xpub,
            options: options + [
                .sendHighWaterMark(limits.egressHighWaterMark), .receiveHighWaterMark(Self.subscriptionsAhead),
                .maxMessageSize(MessageLimits.maxSubscriptionBytes), .xpubVerboser(true),
                .xpubManual(authorizesSubscriptions),
            ])
        connectionGuard = try SubscriberGuard(
            monitor: try socket.monitor(handshakes: isProtected), subscriptionBytes: subscriptions.bytes,
            framingBytes: subscriptions.number * (isProtected ? Self.protectedFraming : Self.framing),
            others: producers)
        connections = SocketConnections(
            name: "egress", limit: limits.possibleConnections, events: connectionGuard.events)
    }

    deinit {
        // This comes before the monitor ends: libzmq's thread waits for a monitor that is not read.
        socket.stopMonitoring()
        connectionGuard.stop()
    }

    // MARK: - Subscriptions

    /// Receives the next subscription, withdrawal or end of a connection. Other messages of subscribers are dropped.
    /// After a long reception, and after many frames of connections that are gone, it once returns `false` although there
    /// may be more.
    ///
    /// When a connection ends, libzmq withdraws its subscriptions one by one without naming the connection. These
    /// withdrawals are ignored.
    ///
    /// Accepting a subscription applies to the connection that libzmq recorded last. It also records the next
    /// subscription's connection when it returns a message that is not a subscription. From such a message on until
    /// nothing is left to receive, no subscription is accepted: the connections are cut, and their clients subscribe
    /// again.
    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        if let ended = connections.takeEnded() {
            _ = take(ended, nil, .ended, RawSpan())
            return true
        }
        guard mayHaveSubscription else { return false }
        if isLate || leftovers >= Self.leftoversAtOnce {
            isLate = false
            leftovers = 0
            return false
        }
        var isUpdated = false
        for _ in 0..<MessageLimits.framesDroppedAtOnce {
            // The reception of a dropped frame may have been a long one, too.
            if isLate { return true }
            let start = clock.now()
            let isReceived = try socket.receive(into: frame)
            isLate = clock.now() - start >= Self.longReception
            if isLate { connectionGuard.recordLongReception() }
            guard isReceived else {
                isLate = false
                leftovers = 0
                if connections.isWatching { connections.recordDrained() }
                mayHaveSubscription = false
                isOutOfStep = false
                return false
            }
            // The frames of a message with several frames are ignored. Each counts towards the limit of this loop.
            let isWhole = !frame.more && !isDropping
            isDropping = frame.more
            droppedFrames = frame.more ? droppedFrames + 1 : 0
            let change = frame.subscriptionChange
            if droppedFrames == MessageLimits.maxFrames {
                try cutSender(because: MessageLimits.tooManyFrames)
            } else if change == nil, authorizesSubscriptions {
                isOutOfStep = true
                try cutSender(because: "it sent a message that is not a subscription")
            }
            if frame.more { continue }
            let descriptor = frame.connectionDescriptor
            // The event of the connection's beginning has been received by now, and perhaps that of its end. Without a
            // descriptor, there is no connection to be found.
            if descriptor != nil || !isUpdated { try connections.update(at: clock.now()) }
            isUpdated = true
            connections.recordMessage(from: descriptor, at: clock.now())
            let connection = connections.id(of: descriptor)
            if connection == nil { leftovers += 1 }
            guard isWhole, let change, let connection else { continue }
            if try takeChange(change, of: connection, take) { return true }
        }
        return true
    }

    /// Handles the received subscription or withdrawal, unless it is a stranger's. Returns whether it was handled.
    private func takeChange(
        _ change: SubscriptionChange, of connection: ConnectionID, _ take: SubscriptionTaker
    ) throws -> Bool {
        var user: UserName?
        if isProtected {
            guard case .user(let name, let key) = senders.sender(of: frame) else {
                connections.cut(connection, because: Senders.isGone)
                return false
            }
            connections.record(name, key, of: connection)
            user = name
        }
        if isOutOfStep, change == .subscribed {
            connections.cut(
                connection,
                because: "its subscriptions cannot be assigned to connections any more; it may subscribe again")
            return false
        }
        try frame.withBytes { bytes in
            let prefix = bytes.extracting(droppingFirst: 1)
            let isAccepted = take(connection, user, change, prefix)
            guard authorizesSubscriptions, !isOutOfStep else { return }
            if change == .withdrawn {
                try socket.acceptWithdrawal(prefix)
            } else if isAccepted {
                try socket.acceptSubscription(prefix)
            }
        }
        return true
    }

    /// Cuts the connection of the current frame.
    private func cutSender(because reason: String) throws {
        try connections.update(at: clock.now())
        if let sender = connections.id(of: frame.connectionDescriptor) { connections.cut(sender, because: reason) }
    }

    // MARK: - Publishing

    /// Publishes a message to its subscribers. It is sent together with those that are published until the next `flush`
    /// or `wait`.
    func publish(topic: RawSpan, body: RawSpan) throws {
        guard body.byteCount <= SendBatch.largestBody else {
            guard maySend() else { return sendBatch.append(topic: topic, body: body) }
            try flush()
            return try send(topic, body)
        }
        sendBatch.append(topic: topic, body: body)
        if sendBatch.isFull { try flush() }
    }

    /// Publishes a message of one frame to its subscribers, in the same way.
    func publish(frame: RawSpan) throws {
        guard frame.byteCount <= SendBatch.largestBody else {
            guard maySend() else { return sendBatch.append(frame: frame) }
            try flush()
            _ = try socket.send(frame)
            return
        }
        sendBatch.append(frame: frame)
        if sendBatch.isFull { try flush() }
    }

    private func send(_ topic: RawSpan, _ body: RawSpan) throws(ZeroMQError) {
        guard try socket.send(topic, more: true) else { return }
        _ = try socket.send(body)
    }

    /// Sends the published messages, if messages may be sent.
    func flush() throws {
        guard !sendBatch.isEmpty, maySend() else { return }
        try sendBatch.takeAll { (topic, body) throws(ZeroMQError) in
            try send(topic, body)
        } frame: { (frame) throws(ZeroMQError) in
            _ = try socket.send(frame)
        }
    }
}

extension Message {
    /// The change of subscriptions in a frame of a subscriber; `nil` if it contains none.
    fileprivate var subscriptionChange: SubscriptionChange? {
        switch unsafeBytes.first {
        case 0: .withdrawn
        case 1: .subscribed
        default: nil
        }
    }
}
