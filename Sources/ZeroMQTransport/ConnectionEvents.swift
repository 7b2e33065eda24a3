import Synchronization
import ZeroMQ

/// The events of a bound socket's connections, for two threads. The loop's thread takes the events in order; another
/// thread may ask for the current connections.
///
/// Both read everything from the monitor. So the events that the loop takes are never older than the messages that it
/// has received.
final class ConnectionEvents: Sendable {
    /// An event of a connection.
    enum Event {
        /// It was accepted, with this descriptor.
        case accepted(Int32)
        /// It has ended.
        case disconnected(Int32)
        /// It was shut down by a thread other than the loop's.
        case shutDown(AcceptedConnection, reason: String)
        /// The handshake of the connection that ends next failed.
        case handshakeFailed(HandshakeFailure)
        /// There were too many events: these are the current connections, by their descriptors.
        case relisted([AcceptedConnection?])
    }

    private struct State: ~Copyable {
        let monitor: SocketMonitor
        /// The events that the loop has not taken.
        var events = PendingEvents()
        /// The connections by their descriptors.
        var connected: [AcceptedConnection?] = []
        var count = 0

        init(monitor: consuming SocketMonitor) { self.monitor = monitor }

        mutating func collect() throws(ZeroMQError) {
            while let event = try monitor.next() {
                switch event {
                case .accepted(let descriptor):
                    events.append(.accepted(descriptor))
                    set(AcceptedConnection(descriptor: descriptor), at: descriptor)
                case .disconnected(let descriptor):
                    events.append(.disconnected(descriptor))
                    set(nil, at: descriptor)
                case .handshakeSucceeded: break
                case .handshakeFailed(let failure): events.append(.handshakeFailed(failure))
                }
            }
        }

        private mutating func set(_ connection: AcceptedConnection?, at descriptor: Int32) {
            guard descriptor >= 0 else { return }
            let index = Int(descriptor)
            if index >= connected.count {
                let count = max(index + 1, connected.count * 2)
                connected.append(contentsOf: repeatElement(nil, count: count - connected.count))
            }
            count += (connection == nil ? 0 : 1) - (connected[index] == nil ? 0 : 1)
            connected[index] = connection
        }
    }

    /// The current connections, and whether there are events for the loop.
    struct Overview {
        /// The connections by their descriptors.
        let connected: [AcceptedConnection?]
        /// The number of connections.
        let count: Int
        /// Whether the loop has not taken all events.
        let hasEvents: Bool
    }

    /// The descriptor that becomes readable when there may be events.
    let fileDescriptor: Int32
    private let state: Mutex<State>
    /// Signalled when the loop takes events, which a waiting thread may not have seen.
    private let taken: Wakeup?

    /// Creates the events of a monitor that has no other user.
    init(monitor: consuming sending SocketMonitor, taken: Wakeup? = nil) throws(ZeroMQError) {
        fileDescriptor = try monitor.fileDescriptor
        state = Mutex(State(monitor: monitor))
        self.taken = taken
    }

    /// Removes and returns all events.
    func takeAll() throws(ZeroMQError) -> [Event] {
        let events = try state.withLock { (state) throws(ZeroMQError) -> [Event] in
            try state.collect()
            return state.events.takeAll(connected: state.connected)
        }
        if !events.isEmpty { taken?.signal() }
        return events
    }

    /// Returns the current connections.
    func look() throws(ZeroMQError) -> Overview {
        try state.withLock { (state) throws(ZeroMQError) -> Overview in
            try state.collect()
            return Overview(connected: state.connected, count: state.count, hasEvents: !state.events.isEmpty)
        }
    }

    /// Shuts a connection down, and adds the event for the loop.
    func shutDown(_ connection: AcceptedConnection, because reason: String) {
        // The event is added first, since the end of the connection follows it.
        state.withLock { $0.events.append(.shutDown(connection, reason: reason)) }
        connection.shutDown()
    }
}
