import ZeroMQ

/// What is known about the handshakes of a connection's socket with the broker, and when it tries again.
///
/// libzmq 4.3 gives up an endpoint whose handshake was refused. The broker may learn of a key later.
struct Handshakes: ~Copyable {
    private static let pause: Duration = .seconds(1)
    /// The number of handshakes in a row that end without a reason after which a client without keys takes it that the
    /// broker wants keys.
    private static let mostEndings = 3

    private let monitor: SocketMonitor
    private let endpoint: String
    private let hasKeys: Bool
    /// Why the last handshake failed; `nil` before, and after a successful one.
    private(set) var failure: HandshakeFailure?
    private var endings = 0
    /// When the socket connects again.
    private(set) var deadline: ContinuousClock.Instant?

    /// The handshakes of a socket that is not connected yet.
    init(of socket: borrowing Socket, with endpoint: String, hasKeys: Bool) throws(ZeroMQError) {
        monitor = try socket.monitor(handshakes: true)
        self.endpoint = endpoint
        self.hasKeys = hasKeys
    }

    /// Becomes readable when there may be something to take note of.
    var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try monitor.fileDescriptor }
    }

    /// Takes note of what happened, and connects the socket again when it is time to.
    mutating func update(_ socket: borrowing Socket, at now: ContinuousClock.Instant) throws(ZeroMQError) {
        while let event = try monitor.next() {
            guard case .handshakeFailed(let failure) = event else { continue }
            if failure == .ended, !hasKeys {
                // One is only a connection that was lost. A broker that speaks CURVE ends each connection of a client
                // without keys, often before its own greeting has arrived.
                endings += 1
                if endings >= Self.mostEndings { self.failure = .mechanism }
                continue
            }
            self.failure = failure
            if failure != .ended, deadline == nil { deadline = now + Self.pause }
        }
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        // It has nothing to disconnect when libzmq has given it up.
        try? socket.disconnect(endpoint)
        try socket.connect(endpoint)
    }

    /// Takes note that the broker has been reached.
    mutating func succeed() {
        failure = nil
        endings = 0
    }
}
