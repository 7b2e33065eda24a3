import CZeroMQ

/// An option of a socket. Most options affect only endpoints that are attached later, so set them first.
public enum SocketOption: Equatable, Sendable {
    /// The maximum number of unread messages of each peer; 0: no limit.
    case receiveHighWaterMark(Int32)
    /// The maximum number of unsent messages for each peer; 0: no limit.
    case sendHighWaterMark(Int32)
    /// The time for which a closed socket continues to send; 0: none, -1: until everything is sent.
    case linger(milliseconds: Int32)
    /// The maximum size of a frame in bytes; a peer that sends a larger one is disconnected; -1: no limit.
    case maxMessageSize(Int64)
    /// The longest handshake; a slower connection is closed; 0: no limit.
    case handshakeInterval(milliseconds: Int32)
    /// Whether the system probes silent TCP peers.
    case tcpKeepalive(Bool)
    /// The silence of a TCP peer before the first probe.
    case tcpKeepaliveIdle(seconds: Int32)
    /// The time between two probes.
    case tcpKeepaliveInterval(seconds: Int32)
    /// The number of unanswered probes after which a TCP peer is disconnected.
    case tcpKeepaliveProbes(Int32)
    /// The time after which a TCP peer that acknowledges or reads nothing is disconnected.
    case tcpSendTimeout(milliseconds: Int32)
    /// The maximum number of connections that wait to be accepted.
    case backlog(Int32)
    /// XPUB: whether every subscription and cancellation is received, not only the first and last of a topic.
    case xpubVerboser(Bool)
    /// XPUB: whether `send` returns false for a full peer, instead of dropping the message.
    case xpubNoDrop(Bool)
    /// Whether messages are queued only for completed connections.
    case immediate(Bool)
    /// Whether IPv6 addresses may be used in addition to IPv4.
    case ipv6(Bool)
    /// The first pause before a reconnection.
    case reconnectInterval(milliseconds: Int32)
    /// The limit up to which the pause doubles; 0: it does not grow.
    case maxReconnectInterval(milliseconds: Int32)
    /// The longest connection attempt; 0: the limit of the system.
    case connectTimeout(milliseconds: Int32)
    /// XPUB: a subscription takes effect only when it is accepted with `Socket.acceptSubscription`.
    case xpubManual(Bool)
    /// Endpoints that are bound afterwards speak CURVE only, with this key of their own.
    case curveServer(CurveSecretKey)
    /// Endpoints that are connected afterwards speak CURVE, with a key of one's own, to a server of this public key.
    case curveClient(CurveKeyPair, server: CurvePublicKey)
    /// The name under which an `Authenticator` is asked about plain connections; empty: it is not asked.
    case authenticationDomain(String)
    /// CURVE: whether no peer gets in while the context has no `Authenticator`. Needs an `authenticationDomain`.
    case requiresAuthenticator(Bool)

    enum Value {
        case int(Int32)
        case long(Int64)
        case bytes([UInt8])
    }

    /// The options of libzmq, in the order in which they are set.
    var native: [(name: Int32, value: Value)] {
        switch self {
        case .curveServer(let key):
            [(ZMQ_CURVE_SERVER, .int(1)), (ZMQ_CURVE_SECRETKEY, .bytes(key.bytes))]
        case .curveClient(let keys, let server):
            [
                (ZMQ_CURVE_SERVERKEY, .bytes(server.bytes)), (ZMQ_CURVE_PUBLICKEY, .bytes(keys.publicKey.bytes)),
                (ZMQ_CURVE_SECRETKEY, .bytes(keys.secretKey.bytes)),
            ]
        default: [single]
        }
    }

    private var single: (name: Int32, value: Value) {
        switch self {
        case .receiveHighWaterMark(let messages): (ZMQ_RCVHWM, .int(messages))
        case .sendHighWaterMark(let messages): (ZMQ_SNDHWM, .int(messages))
        case .linger(let milliseconds): (ZMQ_LINGER, .int(milliseconds))
        case .maxMessageSize(let bytes): (ZMQ_MAXMSGSIZE, .long(bytes))
        case .handshakeInterval(let milliseconds): (ZMQ_HANDSHAKE_IVL, .int(milliseconds))
        case .tcpKeepalive(let isOn): (ZMQ_TCP_KEEPALIVE, .int(isOn ? 1 : 0))
        case .tcpKeepaliveIdle(let seconds): (ZMQ_TCP_KEEPALIVE_IDLE, .int(seconds))
        case .tcpKeepaliveInterval(let seconds): (ZMQ_TCP_KEEPALIVE_INTVL, .int(seconds))
        case .tcpKeepaliveProbes(let probes): (ZMQ_TCP_KEEPALIVE_CNT, .int(probes))
        case .tcpSendTimeout(let milliseconds): (ZMQ_TCP_MAXRT, .int(milliseconds))
        case .backlog(let connections): (ZMQ_BACKLOG, .int(connections))
        case .xpubVerboser(let isOn): (ZMQ_XPUB_VERBOSER, .int(isOn ? 1 : 0))
        case .xpubNoDrop(let isOn): (ZMQ_XPUB_NODROP, .int(isOn ? 1 : 0))
        case .immediate(let isOn): (ZMQ_IMMEDIATE, .int(isOn ? 1 : 0))
        case .ipv6(let isOn): (ZMQ_IPV6, .int(isOn ? 1 : 0))
        case .reconnectInterval(let milliseconds): (ZMQ_RECONNECT_IVL, .int(milliseconds))
        case .maxReconnectInterval(let milliseconds): (ZMQ_RECONNECT_IVL_MAX, .int(milliseconds))
        case .connectTimeout(let milliseconds): (ZMQ_CONNECT_TIMEOUT, .int(milliseconds))
        case .xpubManual(let isOn): (ZMQ_XPUB_MANUAL, .int(isOn ? 1 : 0))
        case .authenticationDomain(let domain): (ZMQ_ZAP_DOMAIN, .bytes(Array(domain.utf8)))
        case .requiresAuthenticator(let isOn): (CZMQ_ZAP_ENFORCE_DOMAIN, .int(isOn ? 1 : 0))
        case .curveServer, .curveClient: preconditionFailure("has several options")
        }
    }
}

extension [SocketOption] {
    /// The options by which a TCP peer that has disappeared, or reads nothing, is disconnected after six seconds.
    ///
    /// They use the system, not the heartbeats of ZMTP: libzmq 4.3.4 aborts the process when it has to send a heartbeat on a
    /// connection from which it has stopped reading, because its queue is full, and which the peer has reset (`_io_error` in
    /// stream_engine_base.cpp).
    public static let dropsDeadPeers: [SocketOption] = [
        .tcpKeepalive(true), .tcpKeepaliveIdle(seconds: 2), .tcpKeepaliveInterval(seconds: 2), .tcpKeepaliveProbes(2),
        .tcpSendTimeout(milliseconds: 6000),
    ]
}
