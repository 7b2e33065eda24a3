import CZeroMQ

/// A monitor of the connections that a socket accepts and loses, in order, and of handshakes that fail.
///
/// The event `accepted` of a connection arrives before any message of that connection. Receive until there is nothing:
/// unread events are kept without limit, so that the thread of libzmq never waits. Call `Socket.stopMonitoring` before the
/// monitor ends.
public struct SocketMonitor: ~Copyable {
    /// An event of a connection, which its file descriptor identifies.
    public enum Event: Equatable, Sendable {
        /// The connection was accepted.
        case accepted(descriptor: Int32)
        /// The connection is being closed.
        case disconnected(descriptor: Int32)
        /// The handshake of a connection failed; `disconnected` of the same connection is the next event of its kind.
        case handshakeFailed(HandshakeFailure)
        /// The handshake of a connection succeeded.
        case handshakeSucceeded
    }

    private let events: Socket
    private let frame = Message()

    init(events: consuming Socket) { self.events = events }

    /// Returns the next event, if there is one.
    public func next() throws(ZeroMQError) -> Event? {
        while try events.receive(into: frame) {
            let event = frame.withBytes { bytes -> Event? in
                guard bytes.byteCount == 6 else { return nil }
                let kind = bytes.unsafeLoadUnaligned(as: UInt16.self)
                let descriptor = bytes.unsafeLoadUnaligned(fromByteOffset: 2, as: Int32.self)
                switch Int32(kind) {
                case ZMQ_EVENT_ACCEPTED: return .accepted(descriptor: descriptor)
                case ZMQ_EVENT_DISCONNECTED: return .disconnected(descriptor: descriptor)
                case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return .handshakeFailed(.denied)
                case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return .handshakeFailed(.ended)
                case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
                    return .handshakeFailed(
                        descriptor == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? .mechanism : .other)
                case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .handshakeSucceeded
                default: return nil
                }
            }
            // The endpoint follows.
            while frame.more, try events.receive(into: frame, wait: true) {}
            if let event { return event }
        }
        return nil
    }

    /// The endpoint of the last event: that to which the socket connects, or at which it is bound.
    public var endpoint: String { String(decoding: frame.copy(), as: UTF8.self) }

    /// The file descriptor that becomes readable when there may be events, until `next` returns `nil`.
    public var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try events.fileDescriptor }
    }
}

/// The reason why a handshake failed.
public enum HandshakeFailure: Equatable, Sendable {
    /// The peers speak different mechanisms: one CURVE, the other none.
    case mechanism
    /// The peer's `Authenticator` knows the key and denies it, or does not know it.
    case denied
    /// The peer sent something else than the handshake requires, such as a box for another key.
    case other
    /// The peer ended the connection, or was too slow.
    case ended
    /// The sockets are of kinds that cannot be connected, such as two that both send.
    case socketType
}

extension Socket {
    /// Begins to monitor the connections of this socket. Call it once, before `bind` and `connect`.
    ///
    /// - Parameter handshakes: Whether handshakes that fail and that succeed are told in addition.
    public func monitor(handshakes: Bool = false) throws(ZeroMQError) -> sending SocketMonitor {
        let address = "inproc://monitor-\(UInt(bitPattern: handle))"
        let outcomes =
            ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        let kinds = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | (handshakes ? outcomes : 0)
        guard zmq_socket_monitor(handle, address, kinds) == 0 else {
            throw .last(.monitor)
        }
        do {
            let events = try Socket(context, .pair, options: [.receiveHighWaterMark(0), .linger(milliseconds: 0)])
            try events.connect(address)
            return SocketMonitor(events: events)
        } catch {
            stopMonitoring()
            throw error
        }
    }

    /// Ends the monitoring.
    public func stopMonitoring() {
        zmq_socket_monitor(handle, nil, 0)
    }

    /// The file descriptor that becomes readable when events of the socket may not have been received yet.
    var fileDescriptor: Int32 {
        get throws(ZeroMQError) {
            var descriptor: Int32 = -1
            var size = MemoryLayout.size(ofValue: descriptor)
            guard zmq_getsockopt(handle, ZMQ_FD, &descriptor, &size) == 0 else {
                throw .last(.readOption, "the file descriptor")
            }
            return descriptor
        }
    }
}
