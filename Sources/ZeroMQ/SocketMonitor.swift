import CZeroMQ

/// The connections that a bound socket accepts and loses, in the order in which that happens.
///
/// A connection's `accepted` can be received before anything that came over it. Receive until there is nothing: what is
/// not received is kept without limit, so that libzmq's thread never waits. `Socket.stopMonitoring` comes before the
/// monitor's end.
public struct SocketMonitor: ~Copyable {
    /// What happened to a connection, by its file descriptor.
    public enum Event: Equatable, Sendable {
        /// It was accepted.
        case accepted(descriptor: Int32)
        /// It is closed at this moment.
        case disconnected(descriptor: Int32)
    }

    private let events: Socket
    private let frame = Message()

    init(events: consuming Socket) { self.events = events }

    /// Takes the next event, if there is one.
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

    /// Becomes readable when there may be events; `next` until there is none makes it unreadable again.
    public var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try events.fileDescriptor }
    }
}

extension Socket {
    /// Begins to tell of the connections of this socket. Call it before `bind`, once.
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

    /// Ends what `monitor` began.
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
