internal import PopupClient
import Synchronization

/// A stream that the gateway can end.
protocol EndableStream: AnyObject, Sendable {
    /// Ends the stream. Pending items are not sent: the stream may be slow or its token revoked, and a client that
    /// reconnects gets the present states. `retry`: the time in ms after which the client should reconnect.
    func end(retry: Int?)
    /// The time at which it ends without a request.
    var endsAt: ContinuousClock.Instant { get }
    /// Whether it ends because its groups cannot be followed any more.
    var hasFailed: Bool { get }
    /// Whether it ends because its reader is too slow for what changes.
    var hasOverflown: Bool { get }
    /// Whether so much is unsent that it must not stall.
    var isBehind: Bool { get }
}

extension EndableStream {
    var hasOverflown: Bool { false }
    var isBehind: Bool { false }
}

/// The bytes of a stream, in pieces of 16 KiB and a message at most, for the connection that writes it.
///
/// The connection calls `open`, then `nextPiece` and, when its socket has taken the piece, `recordWritten`, again and again
/// until there is nothing more for now; after the next signal it goes on. `close` ends it.
public final class ResponseStream: Sendable {
    /// The next part of a stream, for its connection.
    public enum Piece: Sendable {
        /// Bytes to write.
        case bytes([UInt8])
        /// Nothing until the next signal.
        case nothing
        /// Nothing any more.
        case end
    }

    private let source: any EndableStream
    private let signal: Signal
    private let next: @Sendable (ContinuousClock.Instant) -> [UInt8]?
    private let onOpen: @Sendable (ResponseStream) -> Void
    private let onWritten: @Sendable () -> Void
    private let onClose: Mutex<(@Sendable () -> Void)?>
    private let connection: Mutex<Connection>

    private struct Connection {
        /// The first bytes, until they are written.
        var greeting: [UInt8]
        /// The time since which the socket has not taken a piece.
        var writingSince: ContinuousClock.Instant?
        /// Whether that piece has messages of `next`.
        var hasMessages = false
        var cut: (@Sendable () -> Void)?
        var hasTimedOut = false
    }

    /// Creates a stream of messages.
    ///
    /// - Parameters:
    ///   - source: The source of the messages.
    ///   - greeting: The first bytes.
    ///   - signal: The signal that there may be messages. It ends with the stream.
    ///   - onOpen: Called when the connection is ready to write.
    ///   - onWritten: Called when the socket has taken all messages that `next` has returned.
    ///   - onClose: Called once, when the stream has no reader any more, or never had one.
    ///   - next: Returns the next message; `nil` if there is none.
    init(
        _ source: any EndableStream, greeting: [UInt8], signal: Signal,
        onOpen: @escaping @Sendable (ResponseStream) -> Void = { _ in },
        onWritten: @escaping @Sendable () -> Void = {}, onClose: @escaping @Sendable () -> Void,
        next: @escaping @Sendable (ContinuousClock.Instant) -> [UInt8]?
    ) {
        self.source = source
        self.signal = signal
        self.onOpen = onOpen
        self.onWritten = onWritten
        self.onClose = Mutex(onClose)
        self.next = next
        connection = Mutex(Connection(greeting: greeting))
    }

    deinit { close() }

    /// Begins the stream on a connection.
    ///
    /// - Parameters:
    ///   - cut: Closes the connection at once.
    ///   - wake: Makes the connection ask for the next piece soon, unless it writes one. Called on any thread, also before
    ///     `open` returns.
    public func open(cut: @escaping @Sendable () -> Void, wake: @escaping @Sendable () -> Void) {
        connection.withLock { $0.cut = cut }
        onOpen(self)
        signal.listen { _ in wake() }
    }

    /// Returns what is to be written next: all that is there, but at most a piece. States that change until it is called
    /// again are sent once.
    public func nextPiece() -> Piece {
        // What comes with the last signal is there before it.
        let hasEnded = signal.hasEnded
        let now = ContinuousClock.now
        var bytes = connection.withLock { connection in
            defer { connection.greeting = [] }
            return connection.greeting
        }
        let hasGreeting = !bytes.isEmpty
        if !hasGreeting {
            while bytes.count < Self.pieceBytes, let message = next(now) { bytes += message }
        }
        guard !bytes.isEmpty else { return hasEnded ? .end : .nothing }
        connection.withLock { connection in
            connection.writingSince = now
            connection.hasMessages = !hasGreeting
        }
        return .bytes(bytes)
    }

    /// Records that the socket has taken the piece.
    public func recordWritten() {
        let hasMessages = connection.withLock { connection in
            connection.writingSince = nil
            return connection.hasMessages
        }
        if hasMessages { onWritten() }
    }

    /// Ends the stream: nothing more is written. The second time has no effect.
    public func close() {
        connection.withLock { $0.cut = nil }
        // The listener refers to the connection.
        signal.end()
        let onClose = onClose.withLock { $0.take() }
        onClose?()
    }

    /// Whether the kernel ended the connection, since its peer took no bytes.
    var hasTimedOut: Bool { connection.withLock { $0.hasTimedOut } }

    /// Ends the stream and closes the connection: the client is gone.
    ///
    /// - Parameter hasTimedOut: Whether the kernel ended the connection, since its peer took no bytes.
    public func cut(hasTimedOut: Bool = false) {
        let cut = connection.withLock { connection in
            connection.hasTimedOut = hasTimedOut
            return connection.cut.take()
        }
        source.end(retry: nil)
        cut?()
    }

    /// Closes the connection if its socket has not taken a piece since a time.
    ///
    /// - Parameters:
    ///   - behind: The time for a stream with so much unsent that it must not stall.
    ///   - willCut: Called before that.
    func cut(
        ifStalledSince time: ContinuousClock.Instant, orSince behind: ContinuousClock.Instant, willCut: () -> Void
    ) {
        let limit = source.isBehind ? max(time, behind) : time
        let cut = connection.withLock { connection in
            connection.writingSince.map { $0 <= limit } == true ? connection.cut.take() : nil
        }
        guard let cut else { return }
        willCut()
        cut()
    }

    /// The size from which a piece has no further message. Of a larger one, a slow reader would get states that are older, and
    /// one that takes little would count as one that takes nothing.
    private static let pieceBytes = 16 * 1024
}

extension StreamFormat {
    /// Returns the message of an item of a stream of states.
    func message(_ item: Watch.Item, severalGroups: Bool, at now: ContinuousClock.Instant) -> [UInt8] {
        switch item {
        case .broker(let isConnected): message("broker", "{\"connected\":\(isConnected)}")
        case .state(let state):
            message("state", state.json(at: now), id: state.version + (severalGroups ? "@\(state.group)" : ""))
        case .synced(let epoch, let states, let isResumed):
            message("synced", "{\"epoch\":\"\(epoch)\",\"states\":\(states),\"resumed\":\(isResumed)}")
        case .ping: ping
        case .retry(let milliseconds): retry(milliseconds)
        }
    }

    /// Returns the message of an item of a stream of events. As JSON lines, each event has its id in a field.
    func message(_ item: EventWatch.Item, boot: String) -> [UInt8] {
        switch item {
        case .broker(let isConnected): return message("broker", "{\"connected\":\(isConnected)}")
        case .event(let event):
            let id = "\(boot)-\(event.number)"
            if self == .events { return message("event", event.json, id: id) }
            // The event itself has a field of this name.
            return message("event", Array("{\"id\":\"\(id)\",\"data\":".utf8) + event.json + Array("}".utf8))
        case .gap(let dropped): return message("gap", dropped > 0 ? "{\"dropped\":\(dropped)}" : "{}")
        case .ping: return ping
        case .retry(let milliseconds): return retry(milliseconds)
        }
    }

    private var ping: [UInt8] { message("ping", "{\"time\":\"\(UnixTime.milliseconds)\"}") }
}
