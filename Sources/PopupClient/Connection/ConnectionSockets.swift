import ZeroMQ

/// The connection for commands to one node: its socket, with the progress of its handshakes.
///
/// Each node has one of its own: a socket for several would not send to the others while one of them does not read.
final class IngressConnection {
    let socket: Socket
    var handshakes: Handshakes
    /// Whether the node receives commands: its subscription to everything has been read, and has not been cancelled.
    var isReady = false

    init(_ context: Context, _ endpoint: String, options: [SocketOption], hasKeys: Bool) throws(ZeroMQError) {
        socket = try Socket(context, .xpub, options: options)
        handshakes = try Handshakes(of: socket, with: [endpoint], hasKeys: hasKeys)
        try socket.connect(endpoint)
    }

    deinit {
        // Before the monitor ends.
        socket.stopMonitoring()
    }

    func updateHandshakes(at now: ContinuousClock.Instant) throws(ZeroMQError) {
        try handshakes.update(socket, at: now)
    }
}

/// The sockets of a connection, with the progress of their handshakes.
struct ConnectionSockets: ~Copyable {
    /// The connection for commands to each node.
    let ingress: [IngressConnection]
    let egress: Socket
    var egressHandshakes: Handshakes

    private static let options: [SocketOption] =
        [
            .handshakeInterval(milliseconds: 3000), .ipv6(true), .reconnectInterval(milliseconds: 100),
            .maxReconnectInterval(milliseconds: 2000),
        ] + .dropsDeadPeers

    /// Creates the sockets, and begins to connect them.
    ///
    /// - Parameter lingerMilliseconds: The time for which the last messages are still sent after the sockets are closed.
    init(_ endpoints: BrokerEndpoints, _ keys: ClientKeys?, lingerMilliseconds: Int32) throws(ZeroMQError) {
        let context = try Context()
        var ingress: [IngressConnection] = []
        for endpoint in BrokerEndpoints.list(endpoints.ingress) {
            let options = Self.options + (keys?.options(for: [endpoint]) ?? [])
            ingress.append(
                try IngressConnection(
                    context, endpoint,
                    options: options + [
                        .immediate(true), .xpubNoDrop(true), .linger(milliseconds: lingerMilliseconds),
                    ], hasKeys: keys != nil))
        }
        let nodes = BrokerEndpoints.list(endpoints.egress)
        let egress = try Socket(
            context, .sub,
            options: Self.options + (keys?.options(for: nodes) ?? []) + [
                .receiveHighWaterMark(10_000),
                // A subscription is a message to the broker, and libzmq drops those beyond this limit, 1000 by default,
                // without an error, also when it repeats all of them on a new connection (libzmq issue 2258).
                .sendHighWaterMark(0),
            ])
        let egressHandshakes = try Handshakes(of: egress, with: nodes, hasKeys: keys != nil)
        do throws(ZeroMQError) {
            for node in nodes { try egress.connect(node) }
        } catch {
            // Before the monitor ends.
            egress.stopMonitoring()
            throw error
        }
        self.ingress = ingress
        self.egress = egress
        self.egressHandshakes = egressHandshakes
    }

    /// Whether a node receives commands.
    var isReady: Bool { ingress.contains { $0.isReady } }

    /// Sends a frame to each node that receives commands: one, or two for a moment.
    ///
    /// - Returns: Whether a node takes it; false if the queues are full.
    func send(_ frame: [UInt8]) throws(ZeroMQError) -> Bool {
        var isTaken = false
        for connection in ingress where connection.isReady {
            if try connection.socket.send(frame) { isTaken = true }
        }
        return isTaken
    }

    /// Returns a poller of all sockets and of their handshakes.
    func poller() throws(ZeroMQError) -> Poller {
        var poller = Poller()
        for connection in ingress {
            _ = poller.add(connection.socket)
            _ = poller.add(fileDescriptor: try connection.handshakes.fileDescriptor)
        }
        _ = poller.add(egress)
        _ = poller.add(fileDescriptor: try egressHandshakes.fileDescriptor)
        return poller
    }

    /// Updates the handshakes by what the monitors have reported.
    mutating func updateHandshakes(at now: ContinuousClock.Instant) throws(ZeroMQError) {
        for connection in ingress {
            try connection.updateHandshakes(at: now)
            if connection.isReady { connection.handshakes.succeed() }
        }
        try egressHandshakes.update(egress, at: now)
    }

    /// The time of the next attempt to connect; `nil` if none is due.
    var nextAttempt: ContinuousClock.Instant? {
        (ingress.map { $0.handshakes.deadline } + [egressHandshakes.deadline]).lazy.compactMap(\.self).min()
    }

    /// The reason for which the broker cannot be reached, if a handshake failed.
    var handshakeFailure: HandshakeFailure? {
        ingress.lazy.compactMap { $0.handshakes.failure }.first ?? egressHandshakes.failure
    }

    /// Ends the monitors before the sockets.
    func stopMonitoring() {
        for connection in ingress { connection.socket.stopMonitoring() }
        egress.stopMonitoring()
    }
}
