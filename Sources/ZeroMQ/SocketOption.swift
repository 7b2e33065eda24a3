import CZeroMQ

/// A setting of a socket. Most take effect for endpoints attached afterwards: set them first.
public enum SocketOption: Equatable, Sendable {
    /// Messages kept for each peer that are not received yet; 0: without limit.
    case receiveHighWaterMark(Int32)
    /// Messages kept for each peer that are not sent yet; 0: without limit.
    case sendHighWaterMark(Int32)
    /// How long a closed socket goes on sending; 0: not at all, -1: until all is sent.
    case linger(milliseconds: Int32)
    /// A peer that sends a longer frame is disconnected; -1: no limit.
    case maximumMessageSize(Int64)
    /// A connection whose handshake takes longer is dropped; 0: never.
    case handshakeInterval(milliseconds: Int32)
    /// The system probes whether a silent TCP peer is still there.
    case tcpKeepalive(Bool)
    /// After so long a silence it probes first.
    case tcpKeepaliveIdle(seconds: Int32)
    /// And again after so long.
    case tcpKeepaliveInterval(seconds: Int32)
    /// A TCP peer that leaves so many probes unanswered is dropped.
    case tcpKeepaliveProbes(Int32)
    /// A TCP peer that acknowledges nothing, or reads nothing, of what is to be sent to it for so long is dropped.
    case tcpSendTimeout(milliseconds: Int32)
    /// Connections that wait to be accepted.
    case backlog(Int32)
    /// XPUB: hand over every subscription and withdrawal, not only the first and last of a topic.
    case xpubVerboser(Bool)
    /// XPUB: a full peer refuses the message (`send` returns false) instead of losing it.
    case xpubNoDrop(Bool)
    /// Messages are queued for completed connections only.
    case immediate(Bool)
    /// IPv6 addresses may be used beside IPv4.
    case ipv6(Bool)
    /// The first pause before connecting again.
    case reconnectInterval(milliseconds: Int32)
    /// The pause before connecting again doubles up to it; 0: does not grow.
    case maximumReconnectInterval(milliseconds: Int32)
    /// How long a connection attempt may take; 0: as long as the system lets it.
    case connectTimeout(milliseconds: Int32)
    /// XPUB: a subscription takes effect only when it is accepted with `Socket.acceptSubscription`.
    case xpubManual(Bool)
    /// Endpoints that are bound afterwards speak CURVE only, with this key of their own.
    case curveServer(CurveSecretKey)
    /// Endpoints that are connected afterwards speak CURVE, with a key of one's own, to a server of this public key.
    case curveClient(CurveKeyPair, server: CurvePublicKey)
    /// The name under which an `Authenticator` is asked about plain connections; empty: it is not asked.
    case authenticationDomain(String)

    enum Value {
        case int(Int32)
        case long(Int64)
        case bytes([UInt8])
    }

    /// What libzmq is told, in this order.
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
        case .maximumMessageSize(let bytes): (ZMQ_MAXMSGSIZE, .long(bytes))
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
        case .maximumReconnectInterval(let milliseconds): (ZMQ_RECONNECT_IVL_MAX, .int(milliseconds))
        case .connectTimeout(let milliseconds): (ZMQ_CONNECT_TIMEOUT, .int(milliseconds))
        case .xpubManual(let isOn): (ZMQ_XPUB_MANUAL, .int(isOn ? 1 : 0))
        case .authenticationDomain(let domain): (ZMQ_ZAP_DOMAIN, .bytes(Array(domain.utf8)))
        case .curveServer, .curveClient: preconditionFailure("has several options")
        }
    }
}

extension [SocketOption] {
    /// A TCP peer that is gone without a word, or takes nothing of what is sent to it, is dropped after six seconds.
    ///
    /// The system sees to it, not ZMTP's heartbeats: libzmq 4.3.4 aborts the process when it is to send one on a connection
    /// of which it has stopped reading, as its queue is full, and which the peer has reset (`_io_error` in
    /// stream_engine_base.cpp).
    public static let dropsDeadPeers: [SocketOption] = [
        .tcpKeepalive(true), .tcpKeepaliveIdle(seconds: 2), .tcpKeepaliveInterval(seconds: 2), .tcpKeepaliveProbes(2),
        .tcpSendTimeout(milliseconds: 6000),
    ]
}
