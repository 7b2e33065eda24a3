import PopupProtocol
import Synchronization
import ZeroMQ

/// The thread of a connection: it alone touches the sockets.
///
///     wait ──▶ subscribe, unsubscribe ──▶ read the gate ──▶ hand out messages ──▶ leases ──▶ send ──▶ give up what
///      ▲                                                                                              is overdue
///      └──────────────────────────────────────────────────────────────────────────────────────────────────┘
final class ConnectionLoop: @unchecked Sendable {
    // Unchecked: made on one thread, then used on the connection's alone.
    private let endpoints: BrokerEndpoints
    private let mailbox: Mailbox
    private var sockets: Sockets?
    private var subscribers: [UInt64: any Subscriber] = [:]
    private let message = Message()
    private var frame: [UInt8] = []
    /// The gate: the broker's subscription to everything has been read, and not been withdrawn.
    private var isConnected = false
    /// ZeroMQ took nothing the last time: its queue to the broker is full.
    private var isBlocked = false

    private struct Sockets: ~Copyable {
        let ingress: Socket
        let egress: Socket
    }

    /// Messages handed out between two looks at the rest.
    private static let messagesPerRound = 128
    /// A full queue does not tell when there is room again: the pause, in ms, before the next try.
    private static let blockedPause = 2

    init(_ endpoints: BrokerEndpoints, _ mailbox: Mailbox) throws(ZeroMQError) {
        self.endpoints = endpoints
        self.mailbox = mailbox
        let context = try Context()
        let common: [SocketOption] = [
            .handshakeInterval(milliseconds: 3000), .heartbeatInterval(milliseconds: 2000),
            .heartbeatTimeout(milliseconds: 6000), .heartbeatTimeToLive(milliseconds: 6000), .ipv6(true),
            .reconnectInterval(milliseconds: 100), .maximumReconnectInterval(milliseconds: 2000),
        ]
        let linger = Int32(clamping: mailbox.limits.lingerTime.wireMilliseconds)
        let ingress = try Socket(
            context, .xpub,
            options: common + [.immediate(true), .xpubNoDrop(true), .linger(milliseconds: linger)])
        let egress = try Socket(context, .sub, options: common + [.receiveHighWaterMark(10_000)])
        try ingress.connect(endpoints.ingress)
        try egress.connect(endpoints.egress)
        sockets = Sockets(ingress: ingress, egress: egress)
    }

    /// Runs until the mailbox is closed. What was sent has left, or lingered its time, when it returns.
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
        guard let sockets = sockets.take() else { return }
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        _ = poller.add(sockets.ingress)
        _ = poller.add(sockets.egress)
        while true {
            _ = try poller.wait(timeoutMilliseconds: pause())
            mailbox.wakeup.drain()
            guard try applyChanges(to: sockets.egress) else { return try sayFarewell(to: sockets.ingress) }
            try readGate(sockets.ingress)
            try handOut(from: sockets.egress)
            isBlocked = false
            // A report that no lease stands for would hold for ever: leases go first.
            try tellPresence(to: sockets.ingress)
            try send(to: sockets.ingress)
        }
    }

    /// How long, in ms, nothing needs to be done but what the poller tells.
    private func pause() -> Int? {
        if isConnected, isBlocked { return Self.blockedPause }
        let deadline = mailbox.state.withLock { isConnected ? $0.presences.deadline : $0.outbox.deadline }
        guard let deadline else { return nil }
        // Rounded up: waking before the deadline would be in vain.
        return Int(ContinuousClock.now.duration(to: deadline).wireMilliseconds) + 1
    }

    // MARK: Subscriptions

    /// - Returns: false when the connection is to close.
    private func applyChanges(to egress: borrowing Socket) throws(ZeroMQError) -> Bool {
        let (changes, isClosing) = mailbox.state.withLock { state in
            guard !state.isClosing else { return ([Mailbox.Change](), true) }
            defer { state.changes.removeAll() }
            return (state.changes, false)
        }
        for change in changes {
            switch change {
            case .subscribe(let id, let subscriber):
                subscribers[id] = subscriber
                for prefix in subscriber.prefixes { try egress.subscribe(to: prefix) }
            case .unsubscribe(let id):
                guard let subscriber = subscribers.removeValue(forKey: id) else { continue }
                for prefix in subscriber.prefixes { try egress.unsubscribe(from: prefix) }
            }
        }
        return !isClosing
    }

    // MARK: Receiving

    /// The broker subscribes to everything when it has accepted the connection; the subscription is withdrawn with the
    /// connection's loss.
    private func readGate(_ ingress: borrowing Socket) throws(ZeroMQError) {
        while try ingress.receive(into: message) {
            guard message.count == 1 else { continue }
            let isOpen = message.unsafeBytes[0] == 1
            isConnected = isOpen
            mailbox.state.withLock { state in
                state.isConnected = isOpen
                if !isOpen { state.presences.disconnect() }
            }
        }
    }

    private func handOut(from egress: borrowing Socket) throws(ZeroMQError) {
        var now: ContinuousClock.Instant?
        for _ in 0..<Self.messagesPerRound {
            guard try egress.receive(into: message) else { return }
            let channel = Self.channel(of: message)
            guard message.more else { continue }
            guard try egress.receive(into: message) else { return }
            let decoded = message.more ? nil : channel.flatMap { Self.decode(message, from: $0) }
            while message.more, try egress.receive(into: message) {}
            guard let decoded else { continue }
            let received = now ?? .now
            now = received
            for subscriber in subscribers.values { subscriber.receive(decoded, at: received) }
        }
    }

    private static func channel(of topic: borrowing Message) -> Channel? {
        let name = topic.unsafeBytes.prefix { $0 != UInt8(ascii: "/") }
        return Channel(rawValue: String(decoding: name, as: UTF8.self))
    }

    /// What this version cannot read is as if it had not been sent.
    private static func decode(_ body: borrowing Message, from channel: Channel) -> EgressMessage? {
        let bytes = body.copy()
        return switch channel {
        case .state: (try? WireEncoding.binary.decode(bytes)).map { .state($0) }
        case .events: (try? WireEncoding.binary.decode(bytes)).map { .event($0) }
        case .replies: (try? WireEncoding.binary.decode(bytes)).map { .reply($0) }
        case .heads: (try? WireEncoding.binary.decode(bytes, as: WireHeads.self)).map { .heads(epoch: $0.epoch) }
        default: nil
        }
    }

    // MARK: Sending

    private func tellPresence(to ingress: borrowing Socket) throws(ZeroMQError) {
        guard isConnected else { return }
        let isTold = try mailbox.state.withLock { (state) throws(ZeroMQError) in
            try state.presences.tell(at: .now) { (commands) throws(ZeroMQError) in
                try ingress.send(Self.frame(of: commands))
            }
        }
        if !isTold { isBlocked = true }
    }

    private func sayFarewell(to ingress: borrowing Socket) throws(ZeroMQError) {
        guard isConnected else { return }
        let farewells = mailbox.state.withLock { $0.presences.farewells }
        if !farewells.isEmpty { _ = try ingress.send(Self.frame(of: farewells)) }
    }

    private static func frame(of commands: [WireCommand.OneOf_Command]) -> [UInt8] {
        var batch = WireBatch()
        batch.commands = commands.map { kind in
            var command = WireCommand()
            command.command = kind
            return command
        }
        // The messages of this schema have no cause to fail.
        return (try? WireEncoding.binary.encode(batch)) ?? []
    }

    private func send(to ingress: borrowing Socket) throws(ZeroMQError) {
        while isConnected, !isBlocked, let sent = try sendFrame(to: ingress) {
            for completion in sent { completion.resume() }
        }
        giveUpOverdue()
    }

    /// - Returns: whom to tell that their commands are under way; nil when no more can be sent now.
    private func sendFrame(to ingress: borrowing Socket) throws(ZeroMQError) -> [Outbox.Completion]? {
        // The lock is held over the sending, which does not wait: so a command is either cancelled or sent.
        try mailbox.state.withLock { (state) throws(ZeroMQError) -> [Outbox.Completion]? in
            let served = state.outbox.fillFrame(&frame)
            guard served > 0 else { return nil }
            let isTaken = frame.isEmpty ? true : try ingress.send(frame)
            guard isTaken else {
                isBlocked = true
                return nil
            }
            return state.outbox.removeFirst(served)
        }
    }

    private func giveUpOverdue() {
        guard isBlocked || !isConnected else { return }
        let overdue = mailbox.state.withLock { $0.outbox.removeOverdue(at: .now) }
        for entry in overdue {
            let error: ClientError =
                isConnected
                ? .notTaken(endpoint: endpoints.ingress, after: entry.timeout)
                : .notConnected(endpoint: endpoints.ingress, after: entry.timeout)
            entry.completion?.resume(throwing: error)
        }
    }

    // MARK: The end

    private func end(with failure: ClientError) {
        let (unsent, changes) = mailbox.state.withLock { state in
            state.isClosing = true
            state.isConnected = false
            defer { state.changes.removeAll() }
            return (state.outbox.removeAll(), state.changes)
        }
        for completion in unsent { completion.resume(throwing: failure) }
        for case .subscribe(let id, let subscriber) in changes { subscribers[id] = subscriber }
        for subscriber in subscribers.values { subscriber.finish(failure) }
        subscribers.removeAll()
        let waiters = mailbox.state.withLock { state in
            state.hasClosed = true
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
