public import PopupAccess
public import PopupBroker
import PopupProtocol
import SystemCalls
public import ZeroMQ

/// The two sockets that ship: a bound SUB for commands, a bound XPUB for everything else.
public final class ZeroMQTransport: Transport {
    /// Frames of one message at most that are looked at in one go when it is dropped for having too many.
    static let droppedFramesAtOnce = 1024
    /// Frames of one message at most: a command has one or two, a subscription one. Who sends more is cut off: libzmq
    /// keeps each frame as a message of its own.
    static let mostFrames = 64
    /// Subscriptions that libzmq reads ahead of the broker for each connection at most. It takes all of them at once.
    private static let subscriptionsAhead: Int32 = 64
    /// Bytes of a subscription at most; a longer one ends its connection.
    static let maximumSubscriptionBytes: Int64 = 1024

    /// Descriptors that are no connections': the journal's files, sockets, log.
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
    private var bound: BrokerEndpoints?
    /// A subscription may be there: otherwise the socket isn't asked, which looks at its mailbox with a system call.
    private var mayHaveSubscription = true
    /// The rest of a message with too many frames is still to be taken.
    private var isDropping = false
    private var isDroppingSubscription = false
    /// Frames of that message so far.
    private var droppedFrames = 0
    private var droppedSubscriptionFrames = 0
    /// What was published and not sent yet.
    private var sendBatch = SendBatch()

    /// Whether a subscription takes effect only when it is accepted.
    private let authorizesSubscriptions: Bool
    private let isIngressProtected: Bool
    private let isEgressProtected: Bool
    /// Whether libzmq may take a subscription for another connection's: see `receiveSubscription`.
    private var isOutOfStep = false

    /// A transport that isn't open yet.
    ///
    /// - Throws: `ZeroMQError` when the process has no file descriptors left, and for a key when libzmq has no CURVE.
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
        // Without the thread that knows the users libzmq lets in everybody who has a key: none of them is a user then,
        // and none of their subscriptions takes effect.
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

    /// Connections of each socket for which the process may open descriptors. libzmq takes a connection that it has no
    /// descriptor for again and again, at full speed, and the journal would find none.
    private static var possibleConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(1, (Int(clamping: limit.rlim_cur) - reservedDescriptors) / 2)
    }

    deinit {
        // Before the monitors end: libzmq's thread waits for a monitor that takes no events.
        ingress.stopMonitoring()
        egress.stopMonitoring()
        subscriberGuard.stop()
        authentication?.stop()
    }

    /// Ends the present or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeup = wakeup
        return { wakeup.signal() }
    }

    /// Binds both sockets.
    ///
    /// - Throws: `ZeroMQError` when an endpoint can't be bound: it names the endpoint and what to do; `ThreadError` when
    ///   the system has no more threads.
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

    /// Binds a socket. A path has the configured permissions from its first moment.
    private func bind(_ socket: borrowing Socket, to endpoint: String) throws(ZeroMQError) {
        let scheme = "ipc://"
        // A name that begins with @ is none of a file.
        guard endpoint.hasPrefix(scheme), !endpoint.hasPrefix(scheme + "@") else { return try socket.bind(endpoint) }
        let mask = umask(0o077)
        defer { umask(mask) }
        try socket.bind(endpoint)
        let path = String(try socket.lastEndpoint.dropFirst(scheme.count))
        guard chmod(path, mode_t(security.ipcMode)) == 0 else {
            throw ZeroMQError(code: errno, operation: .bind, subject: endpoint)
        }
    }

    /// An IPv4 address as people write it: on its IPv6 socket libzmq reads it back as `[::ffff:127.0.0.1]`.
    private static func familiar(_ endpoint: String) -> String {
        endpoint.replacing(/\[::ffff:([0-9.]+)\]/) { $0.1 }
    }

    private static let common: [SocketOption] =
        [.linger(milliseconds: 0), .backlog(1024), .ipv6(true), .handshakeInterval(milliseconds: 3000)]
        + .dropsDeadPeers

    /// Waits for a frame, a subscription or a wake-up. Where there is more to do at once it needn't be asked what came:
    /// receiving tells, at less than the system calls of a look at all of them; but whoever has begun to send since has
    /// its turn next.
    public func wait(milliseconds: Int?) throws {
        subscriberGuard.noteTurn()
        try flush()
        try checkUsers()
        try checkConnections()
        mayHaveSubscription = true
        guard milliseconds != 0 else { return ingress.noticePeers() }
        _ = try poller.wait(timeoutMilliseconds: timeout(milliseconds))
        subscriberGuard.noteTurn()
        // Who is watched may have finished a message: that there is none has to be seen.
        mayHaveSubscription = poller[egressItem].contains(.readable) || subscribers.isWatching
        if poller[wakeupItem].contains(.readable) { wakeup.drain() }
        if poller[producersItem].contains(.readable) { try producers.update(at: clock.now()) }
        if poller[subscribersItem].contains(.readable) {
            subscriberGuard.arrivals.drain()
            try subscribers.update(at: clock.now())
        }
    }

    /// The shortest of a timeout and the times until connections are to be looked at.
    private func timeout(_ milliseconds: Int?) -> Int? {
        let now = clock.now()
        return [milliseconds, producers.timeUntilCheck(at: now), subscribers.timeUntilCheck(at: now)]
            .compactMap(\.self).min()
    }

    /// Looks at the connections when it is time to.
    private func checkConnections() throws {
        let now = clock.now()
        producers.forgetEnded()
        guard producers.isCheckDue(at: now) || subscribers.isCheckDue(at: now) else { return }
        let state = memory.look()
        if producers.isCheckDue(at: now) {
            try producers.update(at: now)
            producers.check(at: now, state)
        }
        if subscribers.isCheckDue(at: now) {
            try subscribers.update(at: now)
            subscribers.check(at: now, state)
        }
        if state == .exhausted { relieve(at: now) }
    }

    /// Cuts off the connections of users that are gone.
    private func checkUsers() throws {
        guard let authentication else { return }
        try authentication.check()
        guard senders.update() else { return }
        try subscribers.update(at: clock.now())
        // On ingress a connection is known by its messages alone: those of who is gone are dropped, and the first one
        // ends it.
        subscribers.cut(keysOtherThan: senders.users, because: Self.isGone)
    }

    private static let isGone = "its public key is not one of a user any more"

    /// Cuts off connections for which much memory is kept: those first that have no right to it.
    private func relieve(at now: Int64) {
        guard producers.cutUnfinished() + subscribers.cutUnfinished() == 0, subscribers.cutBehind(at: now) == 0,
            subscribers.cutLargestSenders() == 0
        else { return }
        _ = producers.cutLargestSenders()
    }

    /// Takes the connections that were cut off since the last call.
    public func takeCutConnections() -> [CutConnection] {
        producers.takeCuts() + subscribers.takeCuts() + (authentication?.takeRefusals() ?? [])
    }

    /// Takes the next command: a message's only frame, or the second of two. What a stranger sends is dropped.
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
                    _ = try dropFrames()
                    return .tooManyFrames
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

    /// Takes the rest of a message, a bounded part of it at once. Returns whether more is left.
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

    /// Takes the next subscription, withdrawal or end of a connection; what else a subscriber sends is dropped.
    ///
    /// When a connection ends libzmq withdraws its subscriptions one by one, without saying whose they were: these are
    /// passed over.
    ///
    /// A subscription is accepted for the connection that libzmq names to itself as the last one. libzmq takes the next
    /// subscription's for it also when it gives out a message that is no subscription. After one of these, until nothing
    /// is left, no subscription is accepted: their connections are closed, and their clients subscribe again.
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
            // The frames of a message that has several are passed over, each as one of those looked at at once.
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
            // That it was accepted is known by now, and perhaps that it has ended since.
            try subscribers.update(at: clock.now())
            let descriptor = frame.connectionDescriptor
            if subscribers.isWatching { subscribers.noteMessage(from: descriptor, at: clock.now()) }
            guard isWhole, let change, let connection = subscribers.id(of: descriptor) else { continue }
            if try takeChange(change, of: connection, take) { return true }
        }
        return true
    }

    /// Takes the subscription or withdrawal that was received, unless it is a stranger's. Returns whether it was taken.
    private func takeChange(
        _ change: SubscriptionChange, of connection: ConnectionID, _ take: SubscriptionTaker
    ) throws -> Bool {
        var user: UserName?
        if isEgressProtected {
            guard case .user(let name, let key) = senders.sender(of: frame) else {
                subscribers.cut(connection, because: Self.isGone)
                return false
            }
            subscribers.note(key, of: connection)
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

    /// Cuts off the connection over which the present frame came.
    private func cutSubscriber(because reason: String) throws {
        try subscribers.update(at: clock.now())
        if let sender = subscribers.id(of: frame.connectionDescriptor) { subscribers.cut(sender, because: reason) }
    }

    /// Cuts off a subscriber's connection.
    public func disconnect(_ connection: ConnectionID, because reason: String) {
        subscribers.cut(connection, because: reason)
    }

    /// Sends topic and body to whom they interest, together with what is published until the next `flush` or `wait`.
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

    /// Sends what was published.
    public func flush() throws {
        guard !sendBatch.isEmpty else { return }
        try sendBatch.takeAll { (topic, body) throws(ZeroMQError) in
            try send(topic, body)
        } frame: { (frame) throws(ZeroMQError) in
            _ = try egress.send(frame)
        }
    }

    /// Sends what was published, and takes no more connections; those that there are end with the transport.
    public func close() {
        try? flush()
        guard let bound else { return }
        try? ingress.unbind(bound.ingress)
        try? egress.unbind(bound.egress)
        self.bound = nil
    }
}

extension Message {
    /// What a frame of a subscriber says; `nil` for what is no subscription and no withdrawal.
    fileprivate var subscriptionChange: SubscriptionChange? {
        switch unsafeBytes.first {
        case 0: .withdrawn
        case 1: .subscribed
        default: nil
        }
    }
}
