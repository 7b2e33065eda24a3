public import PopupAccess
public import PopupBroker
import PopupProtocol
import SystemCalls
public import ZeroMQ

/// The transport over two ZeroMQ sockets: a bound SUB for commands, and a bound XPUB for everything else.
public final class ZeroMQTransport: Transport {
    /// The maximum number of frames that are dropped in one call, of a message with too many frames.
    static let droppedFramesAtOnce = 1024
    /// The maximum number of frames of a message: a command has one or two, a subscription one. A connection that sends
    /// more is cut, since libzmq stores each frame as a message of its own.
    static let mostFrames = 64
    /// The maximum number of subscriptions that libzmq reads ahead for each connection. It handles all of them at once.
    private static let subscriptionsAhead: Int32 = 64
    /// The maximum number of bytes of a subscription. A longer one ends its connection.
    static let maximumSubscriptionBytes: Int64 = 1024

    /// The number of descriptors that are not used for connections: the journal's files, sockets, log.
    private static let reservedDescriptors = 64

    private let endpoints: BrokerEndpoints
    private let wakeup: Wakeup
    /// The users who may connect. They can be replaced while the transport is in use.
    public let users: UserKeys
    private let security: SocketSecurity
    private let authentication: Authentication?
    private var senders: Senders
    private let ingress: Socket
    private let egress: Socket
    private var producers: SocketConnections
    private var subscribers: SocketConnections
    private let subscriberGuard: SubscriberGuard
    private let frame = Message()
    private var poller: Poller
    private let egressItem: Poller.Index
    private let wakeupItem: Poller.Index
    private let producersItem: Poller.Index
    private let subscribersItem: Poller.Index
    private let clock = SystemClock()
    private let memory: MemoryGauge
    private var nextMemoryCheck: Int64 = 0
    /// The number of checks in a row at which memory was exhausted.
    private var exhaustedChecks = 0
    private var bound: BrokerEndpoints?
    /// Whether a subscription may have arrived. Otherwise the socket is not read, which takes a system call.
    private var mayHaveSubscription = true
    /// Whether the rest of a message with too many frames has to be dropped.
    private var isDropping = false
    private var isDroppingSubscription = false
    /// The number of dropped frames of that message.
    private var droppedFrames = 0
    private var droppedSubscriptionFrames = 0
    /// The messages that were published and not sent yet.
    private var sendBatch = SendBatch()

    /// Whether a subscription takes effect only when it is accepted.
    private let authorizesSubscriptions: Bool
    private let isIngressProtected: Bool
    private let isEgressProtected: Bool
    /// Whether libzmq may attribute a subscription to another connection: see `receiveSubscription`.
    private var isOutOfStep = false

    /// Creates a transport. `open` binds its sockets.
    ///
    /// - Throws: `ZeroMQError` if the process has no more file descriptors, or if there is a key and libzmq has no
    ///   CURVE.
    public init(
        endpoints: BrokerEndpoints = BrokerEndpoints(), socketLimits: SocketLimits = SocketLimits(),
        security: SocketSecurity = SocketSecurity()
    ) throws(ZeroMQError) {
        self.endpoints = endpoints
        self.security = security
        let context = try Context()
        wakeup = try Wakeup()
        users = UserKeys(security.users, wakeup: wakeup)
        senders = Senders(users)
        authentication = security.secretKey == nil ? nil : try Authentication(context, users: users)
        // If the authentication thread has ended, libzmq accepts nobody over CURVE.
        isIngressProtected = security.isProtected(endpoints.ingress)
        isEgressProtected = security.isProtected(endpoints.egress)
        authorizesSubscriptions = security.authorizesSubscriptions || isEgressProtected
        ingress = try Socket(
            context, .sub,
            options: Self.common + security.options(for: endpoints.ingress) + [
                .receiveHighWaterMark(socketLimits.ingressHighWaterMark),
                .maximumMessageSize(Int64(Ingress.maximumFrameBytes)),
            ])
        egress = try Socket(
            context, .xpub,
            options: Self.common + security.options(for: endpoints.egress) + [
                .sendHighWaterMark(socketLimits.egressHighWaterMark), .receiveHighWaterMark(Self.subscriptionsAhead),
                .maximumMessageSize(Self.maximumSubscriptionBytes), .xpubVerboser(true),
                .xpubManual(authorizesSubscriptions),
            ])
        let most = min(socketLimits.connections, Self.possibleConnections)
        let producerEvents = try ConnectionEvents(
            monitor: try ingress.monitor(handshakes: isIngressProtected))
        producers = SocketConnections(name: "ingress", most: most, events: producerEvents)
        subscriberGuard = try SubscriberGuard(
            monitor: try egress.monitor(handshakes: isEgressProtected))
        subscribers = SocketConnections(name: "egress", most: most, events: subscriberGuard.events)
        memory = MemoryGauge(limit: socketLimits.memoryBytes)
        poller = Poller()
        _ = poller.add(ingress)
        egressItem = poller.add(egress)
        wakeupItem = poller.add(wakeup)
        producersItem = poller.add(fileDescriptor: producerEvents.fileDescriptor)
        subscribersItem = poller.add(subscriberGuard.arrivals)
    }

    /// The number of connections of each socket for which the process may open descriptors. Without a free descriptor,
    /// libzmq would retry to accept a connection in a busy loop, and the journal could not open files.
    private static var possibleConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(1, (Int(clamping: limit.rlim_cur) - reservedDescriptors) / 2)
    }

    deinit {
        // This comes before the monitors end: libzmq's thread waits for a monitor that is not read.
        ingress.stopMonitoring()
        egress.stopMonitoring()
        subscriberGuard.stop()
        authentication?.stop()
    }

    /// Ends the current or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeup = wakeup
        return { wakeup.signal() }
    }

    /// Binds both sockets.
    ///
    /// - Throws: `ZeroMQError` if an endpoint cannot be bound, with the endpoint and advice; `ThreadError` if the
    ///   system has no more threads.
    public func open() throws -> BrokerEndpoints {
        try subscriberGuard.start()
        try authentication?.start()
        try ingress.subscribe(to: "")
        try bind(ingress, to: endpoints.ingress)
        try bind(egress, to: endpoints.egress)
        let bound = BrokerEndpoints(ingress: try ingress.lastEndpoint, egress: try egress.lastEndpoint)
        self.bound = bound
        return BrokerEndpoints(ingress: Self.familiar(bound.ingress), egress: Self.familiar(bound.egress))
    }

    /// Binds a socket. The file of an `ipc://` socket never has more permissions than configured.
    private func bind(_ socket: borrowing Socket, to endpoint: String) throws(ZeroMQError) {
        let scheme = "ipc://"
        // A name that begins with @ is not a file.
        guard endpoint.hasPrefix(scheme), !endpoint.hasPrefix(scheme + "@") else { return try socket.bind(endpoint) }
        let mask = umask(0o077)
        defer { umask(mask) }
        try socket.bind(endpoint)
        let path = String(try socket.lastEndpoint.dropFirst(scheme.count))
        guard chmod(path, mode_t(security.ipcMode)) == 0 else {
            throw ZeroMQError(code: errno, operation: .bind, subject: endpoint)
        }
    }

    /// Returns an IPv4 address in its usual form: on its IPv6 socket, libzmq reports it as `[::ffff:127.0.0.1]`.
    private static func familiar(_ endpoint: String) -> String {
        endpoint.replacing(/\[::ffff:([0-9.]+)\]/) { $0.1 }
    }

    private static let common: [SocketOption] =
        [.linger(milliseconds: 0), .backlog(1024), .ipv6(true), .handshakeInterval(milliseconds: 3000)]
        + .dropsDeadPeers

    /// Waits for a frame, a subscription or a wake-up. With a timeout of 0 it does not ask which socket is readable:
    /// receiving finds out with fewer system calls. Clients that have begun to send are included in the next round.
    public func wait(milliseconds: Int?) throws {
        subscriberGuard.noteTurn()
        try flush()
        try checkUsers()
        try checkConnections()
        mayHaveSubscription = true
        guard milliseconds != 0 else { return ingress.noticePeers() }
        _ = try poller.wait(timeoutMilliseconds: timeout(milliseconds))
        subscriberGuard.noteTurn()
        // Watched connections may have finished a message. If there is none, that has to be recorded.
        mayHaveSubscription = poller[egressItem].contains(.readable) || subscribers.isWatching
        if poller[wakeupItem].contains(.readable) { wakeup.drain() }
        if poller[producersItem].contains(.readable) { try producers.update(at: clock.now()) }
        if poller[subscribersItem].contains(.readable) {
            subscriberGuard.arrivals.drain()
            try subscribers.update(at: clock.now())
        }
    }

    /// Returns the minimum of a timeout and the times until connections have to be checked.
    private func timeout(_ milliseconds: Int?) -> Int? {
        let now = clock.now()
        let connections = [producers.timeUntilCheck(at: now), subscribers.timeUntilCheck(at: now)].compactMap(\.self)
            .min()
        guard let connections else { return milliseconds }
        return min(milliseconds ?? .max, connections, Int(max(0, nextMemoryCheck - now)))
    }

    /// Checks the memory and the connections when that is due. Without free memory, the connections are due, too.
    private func checkConnections() throws {
        let now = clock.now()
        producers.forgetEnded()
        guard now >= nextMemoryCheck || producers.isCheckDue(at: now) || subscribers.isCheckDue(at: now)
        else { return }
        nextMemoryCheck = now + Self.memoryInterval
        let state = memory.look()
        if state != .exhausted { exhaustedChecks = 0 }
        if producers.isCheckDue(at: now) || state != .ample {
            try producers.update(at: now)
            producers.check(at: now, state)
        }
        if subscribers.isCheckDue(at: now) || state != .ample {
            try subscribers.update(at: now)
            subscribers.check(at: now, state)
        }
        if state == .exhausted { relieve(at: now) }
    }

    /// The interval in ms at which the memory is checked: messages without an end take some 800 MB a second, of which
    /// nothing wakes the broker.
    private static let memoryInterval: Int64 = 50

    /// Cuts the connections of users that were removed.
    private func checkUsers() throws {
        guard let authentication else { return }
        try authentication.check()
        guard senders.update() else { return }
        try subscribers.update(at: clock.now())
        // On ingress a connection is known by its messages alone: those of who is gone are dropped, and the first one
        // ends it.
        subscribers.cut(usersOtherThan: senders.users, because: Self.isGone)
    }

    private static let isGone = "its public key is not its user's any more"

    /// Cuts connections that use much memory: first those that misuse it.
    private func relieve(at now: Int64) {
        exhaustedChecks += 1
        let unfinished =
            producers.cutUnfinished(atCheck: exhaustedChecks) + subscribers.cutUnfinished(atCheck: exhaustedChecks)
        guard unfinished == 0, subscribers.cutBehind(at: now) == 0,
            subscribers.cutLargestSenders() == 0
        else { return }
        _ = producers.cutLargestSenders()
    }

    /// Removes and returns the reports of cut connections.
    public func takeCutConnections() -> [CutConnection] {
        producers.takeCuts() + subscribers.takeCuts() + (authentication?.takeRefusals() ?? [])
    }

    /// Receives the next command: the only frame of a message, or the second of two. Messages of strangers are dropped.
    public func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        if isDropping, try dropFrames() { return .nothing }
        for _ in 0..<Self.droppedFramesAtOnce {
            guard try ingress.receive(into: frame) else {
                if producers.isWatching { producers.noteDrained() }
                return .nothing
            }
            if frame.more {
                guard try ingress.receive(into: frame) else { return .nothing }
                if frame.more {
                    isDropping = true
                    let user = isIngressProtected ? senders.user(of: frame) : nil
                    _ = try dropFrames()
                    return .tooManyFrames(user: user)
                }
            }
            if producers.isWatching { producers.noteMessage(from: frame.connectionDescriptor, at: clock.now()) }
            guard isIngressProtected else {
                frame.withBytes { take(nil, $0) }
                return .frame
            }
            if let user = senders.user(of: frame) {
                frame.withBytes { take(user, $0) }
                return .frame
            }
            try producers.update(at: clock.now())
            if let stranger = producers.id(of: frame.connectionDescriptor) {
                producers.cut(stranger, because: Self.isGone)
            }
        }
        return .nothing
    }

    /// Drops the rest of a message, at most a number of frames at once. Returns whether there is more.
    private func dropFrames() throws -> Bool {
        for _ in 0..<Self.droppedFramesAtOnce {
            guard try ingress.receive(into: frame), frame.more else {
                if producers.isWatching { producers.noteMessage(from: frame.connectionDescriptor, at: clock.now()) }
                isDropping = false
                droppedFrames = 0
                return false
            }
            droppedFrames += 1
            if droppedFrames == Self.mostFrames, let sender = producers.id(of: frame.connectionDescriptor) {
                producers.cut(sender, because: Self.tooManyFrames)
            }
        }
        return true
    }

    private static let tooManyFrames = "it sends a message of more than \(mostFrames) frames"

    /// Receives the next subscription, withdrawal or end of a connection. Other messages of subscribers are dropped.
    ///
    /// When a connection ends, libzmq withdraws its subscriptions one by one without naming the connection. These
    /// withdrawals are ignored.
    ///
    /// Accepting a subscription applies to the connection that libzmq recorded last. It also records the next
    /// subscription's connection when it returns a message that is not a subscription. From such a message on until
    /// nothing is left to receive, no subscription is accepted: the connections are cut, and their clients subscribe
    /// again.
    public func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        if let ended = subscribers.takeEnded() {
            _ = take(ended, nil, .ended, RawSpan())
            return true
        }
        guard mayHaveSubscription else { return false }
        for _ in 0..<Self.droppedFramesAtOnce {
            guard try egress.receive(into: frame) else {
                if subscribers.isWatching { subscribers.noteDrained() }
                mayHaveSubscription = false
                isOutOfStep = false
                return false
            }
            // The frames of a message with several frames are ignored. Each counts towards the limit of this loop.
            let isWhole = !frame.more && !isDroppingSubscription
            isDroppingSubscription = frame.more
            droppedSubscriptionFrames = frame.more ? droppedSubscriptionFrames + 1 : 0
            let change = frame.subscriptionChange
            if droppedSubscriptionFrames == Self.mostFrames {
                try cutSubscriber(because: Self.tooManyFrames)
            } else if change == nil, authorizesSubscriptions {
                isOutOfStep = true
                try cutSubscriber(because: "it sends what is no subscription")
            }
            if frame.more { continue }
            // The event of the connection's beginning has been received by now, and perhaps that of its end.
            try subscribers.update(at: clock.now())
            let descriptor = frame.connectionDescriptor
            if subscribers.isWatching { subscribers.noteMessage(from: descriptor, at: clock.now()) }
            guard isWhole, let change, let connection = subscribers.id(of: descriptor) else { continue }
            if try takeChange(change, of: connection, take) { return true }
        }
        return true
    }

    /// Handles the received subscription or withdrawal, unless it is a stranger's. Returns whether it was handled.
    private func takeChange(
        _ change: SubscriptionChange, of connection: ConnectionID, _ take: SubscriptionTaker
    ) throws -> Bool {
        var user: UserName?
        if isEgressProtected {
            guard case .user(let name, let key) = senders.sender(of: frame) else {
                subscribers.cut(connection, because: Self.isGone)
                return false
            }
            subscribers.note(name, key, of: connection)
            user = name
        }
        if isOutOfStep, change == .subscribed {
            subscribers.cut(
                connection, because: "it cannot be told whose subscription is whose; it may subscribe again")
            return false
        }
        try frame.withBytes { bytes in
            let prefix = bytes.extracting(droppingFirst: 1)
            let isAccepted = take(connection, user, change, prefix)
            guard authorizesSubscriptions, !isOutOfStep else { return }
            if change == .withdrawn {
                try egress.acceptWithdrawal(prefix)
            } else if isAccepted {
                try egress.acceptSubscription(prefix)
            }
        }
        return true
    }

    /// Cuts the connection of the current frame.
    private func cutSubscriber(because reason: String) throws {
        try subscribers.update(at: clock.now())
        if let sender = subscribers.id(of: frame.connectionDescriptor) { subscribers.cut(sender, because: reason) }
    }

    /// Cuts the connection of a subscriber.
    public func disconnect(_ connection: ConnectionID, because reason: String) {
        subscribers.cut(connection, because: reason)
    }

    /// Publishes a message to its subscribers. It is sent together with those that are published until the next `flush`
    /// or `wait`.
    public func publish(topic: RawSpan, body: RawSpan) throws {
        guard body.byteCount <= SendBatch.largestBody else {
            try flush()
            return try send(topic, body)
        }
        sendBatch.append(topic: topic, body: body)
        if sendBatch.isFull { try flush() }
    }

    /// Sends a message of one frame to whom it interests, together with what is published until the next `flush` or
    /// `wait`.
    public func publish(frame: RawSpan) throws {
        guard frame.byteCount <= SendBatch.largestBody else {
            try flush()
            _ = try egress.send(frame)
            return
        }
        sendBatch.append(frame: frame)
        if sendBatch.isFull { try flush() }
    }

    private func send(_ topic: RawSpan, _ body: RawSpan) throws(ZeroMQError) {
        guard try egress.send(topic, more: true) else { return }
        _ = try egress.send(body)
    }

    /// Sends the published messages.
    public func flush() throws {
        guard !sendBatch.isEmpty else { return }
        try sendBatch.takeAll { (topic, body) throws(ZeroMQError) in
            try send(topic, body)
        } frame: { (frame) throws(ZeroMQError) in
            _ = try egress.send(frame)
        }
    }

    /// Sends the published messages, and unbinds the sockets. Existing connections end with the transport.
    public func close() {
        try? flush()
        guard let bound else { return }
        try? ingress.unbind(bound.ingress)
        try? egress.unbind(bound.egress)
        self.bound = nil
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
