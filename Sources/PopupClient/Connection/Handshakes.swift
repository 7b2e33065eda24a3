import ZeroMQ

/// The handshakes of a connection's socket with the broker, or with the nodes of a fleet, and the time of the next attempt.
///
/// libzmq 4.3 gives up an endpoint whose handshake was refused. The broker may learn the key later.
struct Handshakes: ~Copyable {
    private static let pause: Duration = .seconds(1)
    /// The number of consecutive handshakes that end without a reason after which a client without keys assumes that
    /// the broker requires keys.
    private static let maxEndings = 3

    private let monitor: SocketMonitor
    private let endpoints: [String]
    private let hasKeys: Bool
    /// The reason for which the last handshake failed; `nil` before the first one, and after a successful one.
    private(set) var failure: HandshakeFailure?
    private var endings = 0
    /// The endpoints with a connection whose handshake has succeeded.
    private var connected: Set<String> = []
    /// Whether a handshake of the socket has ever succeeded: then its endpoints are those of a broker.
    private var hasSucceeded = false
    /// Whether the next connection that ends is one whose handshake is known to have failed.
    private var hasFailed = false
    /// The time at which the socket connects again.
    private(set) var deadline: ContinuousClock.Instant?

    /// Creates the handshakes of a socket that is not connected yet.
    init(of socket: borrowing Socket, with endpoints: [String], hasKeys: Bool) throws(ZeroMQError) {
        monitor = try socket.monitor(handshakes: true)
        self.endpoints = endpoints
        self.hasKeys = hasKeys
    }

    /// The descriptor that becomes readable when there may be events.
    var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try monitor.fileDescriptor }
    }

    /// Whether the socket has a connection whose handshake has succeeded.
    var isConnected: Bool { !connected.isEmpty }

    /// Whether the socket has such a connection to each of its endpoints.
    var areAllConnected: Bool { connected.count >= endpoints.count }

    /// Reconnects the endpoints that have no connection. libzmq then drops the messages that wait for them.
    ///
    /// An endpoint with a host name may have a connection that is closed for this: libzmq reports it by its address.
    mutating func dropUnsent(of socket: borrowing Socket) throws(ZeroMQError) {
        try reconnect(socket, except: connected)
    }

    /// Handles the events of the socket, and connects it again when that is due.
    mutating func update(_ socket: borrowing Socket, at now: ContinuousClock.Instant) throws(ZeroMQError) {
        while let event = try monitor.next() {
            switch event {
            case .accepted: break
            case .handshakeSucceeded:
                hasSucceeded = true
                connected.insert(Self.configured(monitor.endpoint))
            case .handshakeFailed(let failure):
                hasFailed = true
                fail(failure, at: now)
            case .disconnected:
                // libzmq reports nothing about a peer whose socket is of the wrong kind, except that the connection ends.
                if !hasSucceeded, !hasFailed { fail(.socketType, at: now) }
                connected.remove(Self.configured(monitor.endpoint))
                hasFailed = false
            }
        }
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        try reconnect(socket)
    }

    private mutating func reconnect(
        _ socket: borrowing Socket, except kept: Set<String> = []
    ) throws(ZeroMQError) {
        // libzmq does not report the end of a connection that is ended here.
        connected = kept.intersection(endpoints)
        for endpoint in endpoints where !kept.contains(endpoint) {
            // Disconnecting fails if libzmq has already given up the endpoint.
            try? socket.disconnect(endpoint)
            try socket.connect(endpoint)
        }
    }

    /// Returns an endpoint as it is configured: from the second connection on, libzmq 4.3 reports an IPv4 address in its form
    /// for IPv6.
    private static func configured(_ endpoint: String) -> String {
        let mapped = "tcp://[::ffff:"
        guard endpoint.hasPrefix(mapped) else { return endpoint }
        return "tcp://" + endpoint.dropFirst(mapped.count).filter { $0 != "]" }
    }

    /// Records a successful connection to the broker.
    mutating func succeed() {
        failure = nil
        endings = 0
    }

    private mutating func fail(_ failure: HandshakeFailure, at now: ContinuousClock.Instant) {
        if failure == .ended, !hasKeys {
            // A single end is only a lost connection. A broker that requires CURVE ends each connection of a client
            // without keys, often before its own greeting has arrived.
            endings += 1
            if endings >= Self.maxEndings { self.failure = .mechanism }
            return
        }
        self.failure = failure
        if failure != .ended, deadline == nil { deadline = now + Self.pause }
    }
}
