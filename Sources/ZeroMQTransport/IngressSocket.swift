import PopupAccess
import PopupBroker
import PopupProtocol
import ZeroMQ

/// The bound SUB socket, which receives commands, and the connections of producers.
final class IngressSocket {
    let socket: Socket
    var connections: SocketConnections
    /// The events of the connections.
    let events: ConnectionEvents
    private let isProtected: Bool
    private let senders: Senders
    private let frame = Message()
    private let clock = SystemClock()
    /// Whether the rest of a message with too many frames has to be dropped.
    private var isDropping = false
    /// The number of dropped frames of that message.
    private var droppedFrames = 0

    /// Creates a socket that is not bound.
    ///
    /// - Throws: `ZeroMQError` if the process has no more file descriptors, or if there is a key and libzmq has no
    ///   CURVE.
    init(
        _ context: Context, options: [SocketOption], limits: SocketLimits, senders: Senders, isProtected: Bool
    ) throws(ZeroMQError) {
        self.senders = senders
        self.isProtected = isProtected
        socket = try Socket(
            context, .sub,
            options: options + [
                .receiveHighWaterMark(limits.ingressHighWaterMark),
                .maxMessageSize(Int64(Ingress.maxFrameBytes)),
            ])
        events = try ConnectionEvents(monitor: try socket.monitor(handshakes: isProtected))
        connections = SocketConnections(name: "ingress", limit: limits.possibleConnections, events: events)
    }

    deinit {
        // This comes before the monitor ends: libzmq's thread waits for a monitor that is not read.
        socket.stopMonitoring()
    }

    /// Receives the next command: the only frame of a message, or the second of two. Messages of strangers are dropped.
    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        if isDropping, try dropFrames() { return .nothing }
        for _ in 0..<MessageLimits.framesDroppedAtOnce {
            guard try socket.receive(into: frame) else {
                if connections.isWatching { connections.recordDrained() }
                return .nothing
            }
            if frame.more {
                guard try socket.receive(into: frame) else { return .nothing }
                if frame.more {
                    isDropping = true
                    let user = isProtected ? senders.user(of: frame) : nil
                    let isStranger = isProtected && user == nil
                    if isStranger { try cutStranger() }
                    _ = try dropFrames()
                    return isStranger ? .nothing : .tooManyFrames(user: user)
                }
            }
            if connections.isWatching { connections.recordMessage(from: frame.connectionDescriptor, at: clock.now()) }
            guard isProtected else {
                frame.withBytes { take(nil, $0) }
                return .frame
            }
            if let user = senders.user(of: frame) {
                frame.withBytes { take(user, $0) }
                return .frame
            }
            try cutStranger()
        }
        return .nothing
    }

    /// The connection of the frame that was received last. Those that have ended, or are cut, count as one together: number 0.
    var senderOfLastFrame: ConnectionID? {
        guard let descriptor = frame.connectionDescriptor else { return nil }
        if let known = connections.id(of: descriptor) { return known }
        // It may have begun since the last wait.
        try? connections.update(at: clock.now())
        return connections.id(of: descriptor) ?? ConnectionID(0)
    }

    /// Cuts the connection of the current frame, whose user is gone.
    private func cutStranger() throws {
        try connections.update(at: clock.now())
        if let stranger = connections.id(of: frame.connectionDescriptor) {
            connections.cut(stranger, because: Senders.isGone)
        }
    }

    /// Drops the rest of a message, at most a number of frames at once. Returns whether there is more.
    private func dropFrames() throws -> Bool {
        for _ in 0..<MessageLimits.framesDroppedAtOnce {
            guard try socket.receive(into: frame), frame.more else {
                if connections.isWatching {
                    connections.recordMessage(from: frame.connectionDescriptor, at: clock.now())
                }
                isDropping = false
                droppedFrames = 0
                return false
            }
            droppedFrames += 1
            if droppedFrames == MessageLimits.maxFrames, let sender = connections.id(of: frame.connectionDescriptor) {
                connections.cut(sender, because: MessageLimits.tooManyFrames)
            }
        }
        return true
    }
}
