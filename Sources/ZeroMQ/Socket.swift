public import CZeroMQ

/// A socket with one owner. It closes when it goes out of scope.
///
/// It belongs to the thread that uses it: libzmq's sockets are not safe to share.
public struct Socket: ~Copyable {
    /// The patterns that a socket can speak.
    public enum Kind: Int32, Sendable {
        /// One to one.
        case pair = 0
        /// Publishes.
        case pub = 1
        /// Subscribes.
        case sub = 2
        /// Publishes, and receives its subscribers' subscriptions.
        case xpub = 9
        /// Answers one request after the other.
        case rep = 4
        /// Subscribes by sending subscriptions.
        case xsub = 10
    }

    @usableFromInline
    let handle: UnsafeMutableRawPointer
    // Keeps the context open as long as the socket.
    let context: Context
    /// The pattern that it speaks.
    public let kind: Kind

    /// Opens a socket.
    ///
    /// - Throws: `ZeroMQError` if the context has no sockets left or an option is out of range.
    public init(_ context: Context, _ kind: Kind, options: [SocketOption] = []) throws(ZeroMQError) {
        guard let handle = zmq_socket(context.handle, kind.rawValue) else {
            throw .last(.createSocket, "\(kind)")
        }
        do {
            for option in options {
                try Self.set(option, of: handle)
            }
        } catch {
            zmq_close(handle)
            throw error
        }
        self.handle = handle
        self.context = context
        self.kind = kind
    }

    @inlinable
    deinit {
        zmq_close(handle)
    }

    /// Sets an option.
    ///
    /// - Throws: `ZeroMQError` (`EINVAL`) for a value out of range or an option that this kind of socket does not have.
    public func set(_ option: SocketOption) throws(ZeroMQError) {
        try Self.set(option, of: handle)
    }

    private static func set(_ option: SocketOption, of handle: UnsafeMutableRawPointer) throws(ZeroMQError) {
        for (name, value) in option.native {
            let result =
                switch value {
                case .int(var value): zmq_setsockopt(handle, name, &value, MemoryLayout<Int32>.size)
                case .long(var value): zmq_setsockopt(handle, name, &value, MemoryLayout<Int64>.size)
                case .bytes(let bytes): zmq_setsockopt(handle, name, bytes, bytes.count)
                }
            guard result == 0 else { throw .last(.setOption, "\(option)") }
        }
    }
}

// MARK: - Endpoints

extension Socket {
    /// Binds to an endpoint (`tcp://127.0.0.1:5570`; port `*` takes a free one, see `lastEndpoint`).
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_bind(handle, endpoint) == 0 else { throw .last(.bind, endpoint) }
    }

    /// Connects to an endpoint. The connection is made in the background, and again whenever it is lost.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        guard Self.hasPort(endpoint) else {
            throw ZeroMQError(code: EINVAL, operation: .connect, subject: endpoint)
        }
        guard zmq_connect(handle, endpoint) == 0 else { throw .last(.connect, endpoint) }
    }

    /// Releases a bound endpoint, as `lastEndpoint` names it.
    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_unbind(handle, endpoint) == 0 else { throw .last(.unbind, endpoint) }
    }

    /// Whether the port of an endpoint is one, if it is a number: libzmq takes a greater one modulo 65536.
    private static func hasPort(_ endpoint: String) -> Bool {
        guard endpoint.hasPrefix("tcp://"), let digits = endpoint.split(separator: ":").last,
            digits.allSatisfy(\.isNumber)
        else { return true }
        return UInt16(digits).map { $0 > 0 } ?? false
    }

    /// Disconnects from an endpoint.
    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        guard zmq_disconnect(handle, endpoint) == 0 else { throw .last(.disconnect, endpoint) }
    }

    /// The last endpoint that was bound or connected, with the actual port for a wildcard; empty before the first.
    public var lastEndpoint: String {
        get throws(ZeroMQError) {
            // The longest is an ipc path, 108 bytes; a tcp endpoint may hold an interface's or a host's name.
            let limit = 1024
            var bytes = [UInt8](repeating: 0, count: limit)
            var count = limit
            guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &bytes, &count) == 0 else {
                throw .last(.readOption, "the last endpoint")
            }
            return String(decoding: bytes.prefix(max(count, 1) - 1), as: UTF8.self)
        }
    }
}

// MARK: - Subscriptions

extension Socket {
    /// Subscribes a SUB socket to messages whose first frame begins with `prefix`; an empty one matches everything.
    public func subscribe(to prefix: String) throws(ZeroMQError) {
        guard zmq_setsockopt(handle, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count) == 0 else {
            throw .last(.subscribe, prefix)
        }
    }

    /// Cancels one subscription of a SUB socket to `prefix`.
    public func unsubscribe(from prefix: String) throws(ZeroMQError) {
        guard zmq_setsockopt(handle, ZMQ_UNSUBSCRIBE, prefix, prefix.utf8.count) == 0 else {
            throw .last(.unsubscribe, prefix)
        }
    }
}

// MARK: - Subscriptions that have to be accepted

extension Socket {
    /// Lets a subscription take effect: that of the subscriber whose subscription was received last. For an XPUB socket
    /// with `xpubManual`, directly after the reception.
    public func acceptSubscription(_ prefix: RawSpan) throws(ZeroMQError) {
        let result = prefix.withUnsafeBytes { zmq_setsockopt(handle, ZMQ_SUBSCRIBE, $0.baseAddress, $0.count) }
        guard result == 0 else { throw .last(.subscribe) }
    }

    /// Ends a subscription: that of the subscriber whose withdrawal was received last. For an XPUB socket with
    /// `xpubManual`, directly after the reception.
    public func acceptWithdrawal(_ prefix: RawSpan) throws(ZeroMQError) {
        let result = prefix.withUnsafeBytes { zmq_setsockopt(handle, ZMQ_UNSUBSCRIBE, $0.baseAddress, $0.count) }
        guard result == 0 else { throw .last(.unsubscribe) }
    }
}

// MARK: - Frames

extension Socket {
    /// Calls libzmq until no signal interrupts the call.
    ///
    /// - Returns: Whether it succeeded; otherwise it would have to wait.
    @inlinable @inline(__always)
    static func repeated(_ operation: ZeroMQError.Operation, _ call: () -> Int32) throws(ZeroMQError) -> Bool {
        while call() < 0 {
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN: return false
            default: throw .last(operation)
            }
        }
        return true
    }

    /// Receives the next frame into `message`, in place of what it held.
    ///
    /// - Parameter wait: Wait for a frame; otherwise return at once.
    /// - Returns: False when there is none now.
    @inlinable
    public func receive(into message: borrowing Message, wait: Bool = false) throws(ZeroMQError) -> Bool {
        try Self.repeated(.receive) { zmq_msg_recv(message.handle, handle, wait ? 0 : ZMQ_DONTWAIT) }
    }

    /// Notices peers that have begun to send.
    ///
    /// While there are messages, libzmq looks for other peers only after every hundredth (`inbound_poll_rate` in its
    /// config.hpp). If handling a message takes long, call this in between, so that each peer has its turn.
    public func noticePeers() {
        var events: Int32 = 0
        var size = MemoryLayout.size(ofValue: events)
        zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size)
    }

    /// Receives the next frame, if there is one, as a new message.
    public func receive(wait: Bool = false) throws(ZeroMQError) -> Message? {
        let message = Message()
        guard try receive(into: message, wait: wait) else { return nil }
        return message
    }

    /// Sends a frame; the bytes are copied.
    ///
    /// - Parameters:
    ///   - more: Whether another frame of the same message follows.
    ///   - wait: Whether to wait while the queues of the peers are full.
    /// - Returns: Whether it was sent.
    @inlinable
    public func send(
        _ bytes: UnsafeRawBufferPointer, more: Bool = false, wait: Bool = false
    ) throws(ZeroMQError) -> Bool {
        let flags = (more ? ZMQ_SNDMORE : 0) | (wait ? 0 : ZMQ_DONTWAIT)
        return try Self.repeated(.send) { zmq_send(handle, bytes.baseAddress, bytes.count, flags) }
    }

    /// Sends a frame; the bytes are copied. It is `send` of a raw buffer.
    @inlinable
    public func send(_ bytes: RawSpan, more: Bool = false, wait: Bool = false) throws(ZeroMQError) -> Bool {
        try bytes.withUnsafeBytes { (bytes) throws(ZeroMQError) in try send(bytes, more: more, wait: wait) }
    }

    /// Sends a frame; the bytes are copied. It is `send` of a raw buffer.
    @inlinable
    public func send(_ bytes: [UInt8], more: Bool = false, wait: Bool = false) throws(ZeroMQError) -> Bool {
        try send(bytes.span.bytes, more: more, wait: wait)
    }

    /// Forwards a received frame without a copy. The message is empty then; if the frame could not be sent, it keeps it.
    @inlinable
    public func send(_ message: borrowing Message, more: Bool = false, wait: Bool = false) throws(ZeroMQError) -> Bool {
        let flags = (more ? ZMQ_SNDMORE : 0) | (wait ? 0 : ZMQ_DONTWAIT)
        return try Self.repeated(.send) { zmq_msg_send(message.handle, handle, flags) }
    }
}
