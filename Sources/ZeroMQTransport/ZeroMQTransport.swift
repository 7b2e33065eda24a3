public import PopupAccess
public import PopupBroker
import PopupProtocol
import Synchronization
import SystemCalls
public import ZeroMQ

/// The transport over two ZeroMQ sockets: a bound SUB for commands, and a bound XPUB for everything else.
public final class ZeroMQTransport: Transport {
    private let endpoints: BrokerEndpoints
    private let wakeup: Wakeup
    /// The users who may connect. They can be replaced while the transport is in use.
    public let users: UserKeys
    private let security: SocketSecurity
    private let authentication: Authentication?
    private let senders: Senders
    private let ingress: IngressSocket
    private let egress: EgressSocket
    private var poller: Poller
    private let egressItem: Poller.Index
    private let wakeupItem: Poller.Index
    private let producersItem: Poller.Index
    private let arrivalsItem: Poller.Index
    private let clock = SystemClock()
    private let memory: MemoryGauge
    private var memoryGrowth = MemoryGrowth()
    private var nextMemoryCheck: Int64 = 0
    private var relief = MemoryRelief()
    private var bound: BrokerEndpoints?

    /// Creates a transport. `open` binds its sockets.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints that `open` binds.
    ///   - socketLimits: The limits of the sockets' queues, of connections and of memory.
    ///   - subscriptions: The limits of the subscriptions of a connection. One that delays the broker with more at once
    ///     is cut off.
    ///   - security: The keys, and who may use `ipc://` sockets.
    ///   - maySend: Whether messages may be sent, asked before they are. Those that may not are kept until they may.
    /// - Throws: `ZeroMQError` if the process has no more file descriptors, or if there is a key and libzmq has no
    ///   CURVE.
    public init(
        endpoints: BrokerEndpoints = BrokerEndpoints(), socketLimits: SocketLimits = SocketLimits(),
        subscriptions: SubscriptionLimits = SubscriptionLimits(),
        security: SocketSecurity = SocketSecurity(), maySend: @escaping @Sendable () -> Bool = { true }
    ) throws(ZeroMQError) {
        self.endpoints = endpoints
        self.security = security
        let context = try Context()
        wakeup = try Wakeup()
        users = UserKeys(security.users, wakeup: wakeup)
        senders = Senders(users)
        // If the authentication thread has ended, libzmq accepts no connection over CURVE.
        authentication = security.secretKey == nil ? nil : try Authentication(context, users: users)
        ingress = try IngressSocket(
            context, options: Self.common + security.options(for: endpoints.ingress), limits: socketLimits,
            senders: senders, isProtected: security.isProtected(endpoints.ingress))
        let isProtected = security.isProtected(endpoints.egress)
        egress = try EgressSocket(
            context, options: Self.common + security.options(for: endpoints.egress), limits: socketLimits,
            subscriptions: subscriptions, senders: senders, isProtected: isProtected,
            authorizesSubscriptions: security.authorizesSubscriptions || isProtected, producers: ingress.events,
            maySend: maySend)
        memory = MemoryGauge(limit: socketLimits.memoryBytes)
        poller = Poller()
        _ = poller.add(ingress.socket)
        egressItem = poller.add(egress.socket)
        wakeupItem = poller.add(wakeup)
        producersItem = poller.add(fileDescriptor: ingress.events.fileDescriptor)
        arrivalsItem = poller.add(egress.connectionGuard.arrivals)
    }

    deinit {
        authentication?.stop()
    }

    /// The function that ends the current or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeup = wakeup
        return { wakeup.signal() }
    }

    /// Binds both sockets.
    ///
    /// - Throws: `ZeroMQError` if an endpoint cannot be bound, with the endpoint and advice; `ThreadError` if the
    ///   system has no more threads.
    public func open() throws -> BrokerEndpoints {
        try listen()
        return try openWithoutListening()
    }

    /// Subscribes the ingress: from now on, publishers send to it.
    public func listen() throws { try ingress.socket.subscribe(to: "") }

    /// Binds both sockets. The ingress has no subscription: publishers that are connected send nothing to it.
    ///
    /// - Throws: The errors of `open`.
    public func openWithoutListening() throws -> BrokerEndpoints {
        try egress.connectionGuard.start()
        try authentication?.start()
        try bind(ingress.socket, to: endpoints.ingress)
        try bind(egress.socket, to: endpoints.egress)
        let bound = BrokerEndpoints(ingress: try ingress.socket.lastEndpoint, egress: try egress.socket.lastEndpoint)
        self.bound = bound
        return BrokerEndpoints(ingress: Self.familiar(bound.ingress), egress: Self.familiar(bound.egress))
    }

    /// Binds a socket. The file of an `ipc://` socket never has more permissions than configured.
    private func bind(_ socket: borrowing Socket, to endpoint: String) throws(ZeroMQError) {
        let scheme = "ipc://"
        // A name that begins with @ is not a file.
        guard endpoint.hasPrefix(scheme), !endpoint.hasPrefix(scheme + "@") else { return try socket.bind(endpoint) }
        try Self.bindPrivately(socket, to: endpoint)
        let path = String(try socket.lastEndpoint.dropFirst(scheme.count))
        guard chmod(path, mode_t(security.ipcMode)) == 0 else {
            throw ZeroMQError(code: errno, operation: .bind, subject: endpoint)
        }
    }

    /// The lock that is held while the process's umask is another: brokers of one process may open at the same time.
    private static let maskLock = Mutex(())

    /// Binds a socket whose file, if it has one, is open to its owner alone.
    private static func bindPrivately(_ socket: borrowing Socket, to endpoint: String) throws(ZeroMQError) {
        try maskLock.withLock { _ throws(ZeroMQError) in
            let mask = umask(0o077)
            defer { umask(mask) }
            try socket.bind(endpoint)
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
        egress.connectionGuard.recordTurn()
        try egress.flush()
        try checkUsers()
        try checkConnections()
        egress.mayHaveSubscription = true
        guard milliseconds != 0 else { return ingress.socket.noticePeers() }
        _ = try poller.wait(timeoutMilliseconds: timeout(milliseconds))
        egress.connectionGuard.recordTurn()
        // Watched connections may have finished a message. If there is none, that has to be recorded.
        egress.mayHaveSubscription = poller[egressItem].contains(.readable) || egress.connections.isWatching
        if poller[wakeupItem].contains(.readable) { wakeup.drain() }
        let hasArrivals = poller[arrivalsItem].contains(.readable)
        if hasArrivals { egress.connectionGuard.arrivals.drain() }
        if hasArrivals || poller[producersItem].contains(.readable) {
            try ingress.connections.update(at: clock.now())
        }
        if hasArrivals { try egress.connections.update(at: clock.now()) }
    }

    /// Returns the minimum of a timeout and the times until connections have to be checked.
    private func timeout(_ milliseconds: Int?) -> Int? {
        let now = clock.now()
        let checks = [ingress.connections.timeUntilCheck(at: now), egress.connections.timeUntilCheck(at: now)]
        let connections = checks.compactMap(\.self).min()
        guard let connections else { return milliseconds }
        return min(milliseconds ?? .max, connections, Int(max(0, nextMemoryCheck - now)))
    }

    /// Checks the memory and the connections when that is due. If memory is short or grows fast, the connections are due,
    /// too.
    private func checkConnections() throws {
        let now = clock.now()
        ingress.connections.forgetEnded()
        guard
            now >= nextMemoryCheck || ingress.connections.isCheckDue(at: now) || egress.connections.isCheckDue(at: now)
        else { return }
        nextMemoryCheck = now + Self.memoryInterval
        let resident = memory.residentBytes
        let state = memory.state(of: resident)
        let isGrowing = memoryGrowth.record(resident)
        if state != .exhausted { relief.end() }
        if ingress.connections.isCheckDue(at: now) || state != .ample || isGrowing {
            try ingress.connections.update(at: now)
            ingress.connections.check(at: now, state, isGrowing: isGrowing)
        }
        if egress.connections.isCheckDue(at: now) || state != .ample || isGrowing {
            try egress.connections.update(at: now)
            egress.connections.check(at: now, state, isGrowing: isGrowing)
        }
        if state == .exhausted {
            relief.relieve(&ingress.connections, &egress.connections, memoryLimit: memory.limit, at: now)
        }
    }

    /// The interval in ms at which the memory is checked. Messages without an end take up to 2 GB a second, and nothing of
    /// them wakes the broker.
    private static let memoryInterval: Int64 = 20

    /// Cuts the connections of users that were removed.
    private func checkUsers() throws {
        guard let authentication else { return }
        try authentication.check()
        guard senders.update() else { return }
        try egress.connections.update(at: clock.now())
        // On ingress a connection is known by its messages alone: those of who is gone are dropped, and the first one
        // ends it.
        egress.connections.cut(usersOtherThan: senders.users, because: Senders.isGone)
    }

    /// Removes and returns the reports of cut connections.
    public func takeCutConnections() -> [CutConnection] {
        ingress.connections.takeCuts() + egress.connections.takeCuts() + (authentication?.takeRefusals() ?? [])
    }

    /// The number of open connections of the socket that has more.
    public var connectionUse: LimitUse? {
        LimitUse(
            used: max(ingress.connections.open, egress.connections.open),
            most: min(ingress.connections.limit, egress.connections.limit))
    }

    /// The memory that the process uses. If it exceeds the limit, without what the allocator keeps for later.
    public var memoryUse: LimitUse? { LimitUse(used: memory.usedBytes, most: memory.limit) }

    // MARK: - Messages

    /// Receives the next command: the only frame of a message, or the second of two. Messages of strangers are dropped.
    public func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        try ingress.receive(take)
    }

    /// The connection of the frame that was received last.
    public var senderOfLastFrame: ConnectionID? { ingress.senderOfLastFrame }

    /// Receives the next subscription, withdrawal or end of a connection. Other messages of subscribers are dropped.
    public func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool { try egress.receiveSubscription(take) }

    /// Cuts the connection of a subscriber.
    public func disconnect(_ connection: ConnectionID, because reason: String) {
        egress.connections.cut(connection, because: reason)
    }

    /// Publishes a message to its subscribers. It is sent together with those that are published until the next `flush`
    /// or `wait`.
    public func publish(topic: RawSpan, body: RawSpan) throws { try egress.publish(topic: topic, body: body) }

    /// Publishes a message of one frame to its subscribers, in the same way.
    public func publish(frame: RawSpan) throws { try egress.publish(frame: frame) }

    /// Sends the published messages.
    public func flush() throws { try egress.flush() }

    /// Sends the published messages, and unbinds the sockets. Existing connections end with the transport.
    public func close() {
        try? egress.flush()
        guard let bound else { return }
        try? ingress.socket.unbind(bound.ingress)
        try? egress.socket.unbind(bound.egress)
        self.bound = nil
    }
}
