public import CZeroMQ

/// A poller, which waits for several sockets and file descriptors at once.
///
/// Sockets and descriptors must stay open as long as the poller is used. Up to 16 items cost no allocation per wait.
public struct Poller: ~Copyable {
    /// The events to wait for, and those that occurred.
    public struct Events: OptionSet, Sendable {
        /// The bits of libzmq.
        public let rawValue: Int16

        /// Creates events from libzmq's bits.
        @inlinable
        public init(rawValue: Int16) { self.rawValue = rawValue }

        /// The event that a message can be received.
        public static var readable: Events { Events(rawValue: 1) }
        /// The event that a message can be sent.
        public static var writable: Events { Events(rawValue: 2) }
        /// A file descriptor failed.
        public static var error: Events { Events(rawValue: 4) }
    }

    /// The index of an item, in the order of adding.
    public struct Index: Hashable, Sendable {
        @usableFromInline let offset: Int

        @usableFromInline
        init(offset: Int) { self.offset = offset }
    }

    @usableFromInline var items: [zmq_pollitem_t] = []

    /// Creates a poller without items, whose `wait` only waits.
    public init() {}

    /// Adds a socket.
    public mutating func add(_ socket: borrowing Socket, for events: Events = .readable) -> Index {
        append(zmq_pollitem_t(socket: socket.handle, fd: -1, events: events.rawValue, revents: 0))
    }

    /// Adds a file descriptor.
    public mutating func add(fileDescriptor: Int32, for events: Events = .readable) -> Index {
        append(zmq_pollitem_t(socket: nil, fd: fileDescriptor, events: events.rawValue, revents: 0))
    }

    /// Adds a wake-up.
    public mutating func add(_ wakeup: Wakeup) -> Index {
        add(fileDescriptor: wakeup.fileDescriptor)
    }

    private mutating func append(_ item: zmq_pollitem_t) -> Index {
        items.append(item)
        return Index(offset: items.count - 1)
    }

    /// Changes the events to wait for at an item; without events, it is skipped.
    @inlinable
    public mutating func setEvents(_ events: Events, at index: Index) {
        items[index.offset].events = events.rawValue
    }

    /// Waits until an item is ready, the time is over, or a signal arrives.
    ///
    /// - Parameter timeoutMilliseconds: nil: without end; 0: only looks.
    /// - Returns: How many items are ready: 0 at the timeout and after a signal.
    @inlinable
    public mutating func wait(timeoutMilliseconds: Int?) throws(ZeroMQError) -> Int {
        let count = items.count
        let ready = items.withUnsafeMutableBufferPointer { items in
            zmq_poll(items.baseAddress, Int32(count), timeoutMilliseconds ?? -1)
        }
        if ready >= 0 { return Int(ready) }
        guard zmq_errno() == EINTR else { throw .last(.poll) }
        for index in items.indices { items[index].revents = 0 }
        return 0
    }

    /// The events that the last `wait` found at an item.
    @inlinable
    public subscript(index: Index) -> Events {
        Events(rawValue: items[index.offset].revents)
    }
}
