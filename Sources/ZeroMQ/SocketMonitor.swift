import CZeroMQ

/// A monitor of the connections that a bound socket accepts and loses, in order.
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
                default: return nil
                }
            }
            // The endpoint follows.
            while frame.more, try events.receive(into: frame, wait: true) {}
            if let event { return event }
        }
        return nil
    }

    /// The file descriptor that becomes readable when there may be events, until `next` returns `nil`.
    public var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try events.fileDescriptor }
    }
}

extension Socket {
    /// Begins to monitor the connections of this socket. Call it once, before `bind`.
    public func monitor() throws(ZeroMQError) -> sending SocketMonitor {
        let address = "inproc://monitor-\(UInt(bitPattern: handle))"
        guard zmq_socket_monitor(handle, address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) == 0 else {
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

    /// Becomes readable when something happened on the socket that receiving has not seen yet.
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
