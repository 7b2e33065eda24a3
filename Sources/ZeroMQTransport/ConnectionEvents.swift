import Synchronization
import ZeroMQ

/// What happens to the connections of a bound socket, for two threads: the loop's takes the events in their order, another
/// may ask meanwhile who is connected.
///
/// Whoever looks takes all that the monitor has: what the loop finds when it looks is never older than a message.
final class ConnectionEvents: Sendable {
    /// What happened to a connection.
    enum Event {
        /// It was accepted, with this descriptor.
        case accepted(Int32)
        /// It has ended.
        case disconnected(Int32)
        /// It was shut down by another thread than the loop's.
        case shutDown(AcceptedConnection, reason: String)
        /// The handshake of a connection failed, which ends next.
        case handshakeFailed(HandshakeFailure)
    }

    private struct State: ~Copyable {
        let monitor: SocketMonitor
        /// What the loop has not taken. It has no limit, as the monitor has none: libzmq's thread would wait.
        var events: [Event] = []
        /// By their descriptors.
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

    /// Who is connected, and whether the loop has events to take.
    struct Overview {
        /// By their descriptors.
        let connected: [AcceptedConnection?]
        /// How many there are.
        let count: Int
        /// The loop has not taken all events.
        let hasEvents: Bool
    }

    /// Becomes readable when there may be events.
    let fileDescriptor: Int32
    private let state: Mutex<State>
    /// Signalled when the loop took events, which another thread that waits may not have seen.
    private let taken: Wakeup?

    /// Events of a monitor that nobody else uses.
    init(monitor: consuming sending SocketMonitor, taken: Wakeup? = nil) throws(ZeroMQError) {
        fileDescriptor = try monitor.fileDescriptor
        state = Mutex(State(monitor: monitor))
        self.taken = taken
    }

    /// Takes all events.
    func takeAll() throws(ZeroMQError) -> [Event] {
        let events = try state.withLock { (state) throws(ZeroMQError) -> [Event] in
            try state.collect()
            guard !state.events.isEmpty else { return [] }
            defer { state.events = [] }
            return state.events
        }
        if !events.isEmpty { taken?.signal() }
        return events
    }

    /// Looks who is connected.
    func look() throws(ZeroMQError) -> Overview {
        try state.withLock { (state) throws(ZeroMQError) -> Overview in
            try state.collect()
            return Overview(connected: state.connected, count: state.count, hasEvents: !state.events.isEmpty)
        }
    }

    /// Shuts a connection down, and tells the loop.
    func shutDown(_ connection: AcceptedConnection, because reason: String) {
        // Told before: its end follows.
        state.withLock { $0.events.append(.shutDown(connection, reason: reason)) }
        connection.shutDown()
    }
}
