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

/// The bytes of a stream, in pieces of at most about 64 KiB. One loop reads it; `close` ends it.
public final class ResponseStream: Sendable {
    private let source: any EndableStream
    private let greeting: [UInt8]
    private let rings: AsyncStream<Void>
    private let next: @Sendable (ContinuousClock.Instant) -> [UInt8]?
    private let onOpen: @Sendable (ResponseStream) -> Void
    private let onWritten: @Sendable () -> Void
    private let onClose: Mutex<(@Sendable () -> Void)?>
    private let connection = Mutex(Connection())

    private struct Connection {
        /// The time since which the socket has not taken bytes.
        var writingSince: ContinuousClock.Instant?
        var cut: (@Sendable () -> Void)?
        var hasTimedOut = false
    }

    /// Creates a stream of messages.
    ///
    /// - Parameters:
    ///   - source: The source of the messages.
    ///   - greeting: The first bytes.
    ///   - rings: The signal that there may be messages. It ends with the stream.
    ///   - onOpen: Called when the socket takes the first bytes.
    ///   - onWritten: Called when the socket has taken all messages that `next` has returned.
    ///   - onClose: Called once, when the stream has no reader any more, or never had one.
    ///   - next: Returns the next message; `nil` if there is none.
    init(
        _ source: any EndableStream, greeting: [UInt8], rings: AsyncStream<Void>,
        onOpen: @escaping @Sendable (ResponseStream) -> Void = { _ in },
        onWritten: @escaping @Sendable () -> Void = {}, onClose: @escaping @Sendable () -> Void,
        next: @escaping @Sendable (ContinuousClock.Instant) -> [UInt8]?
    ) {
        self.source = source
        self.greeting = greeting
        self.rings = rings
        self.onOpen = onOpen
        self.onWritten = onWritten
        self.onClose = Mutex(onClose)
        self.next = next
    }

    deinit { close() }

    private func close() {
        let onClose = onClose.withLock { $0.take() }
        onClose?()
    }

    /// Writes the stream until it ends.
    ///
    /// - Parameters:
    ///   - cut: Closes the connection at once; then `write` throws.
    ///   - write: Writes bytes, and returns when the socket takes more. States that change in the meantime are sent
    ///     once.
    public func write(
        cut: @escaping @Sendable () -> Void, _ write: (_ bytes: [UInt8]) async throws -> Void
    ) async throws {
        connection.withLock { $0.cut = cut }
        defer {
            connection.withLock { $0.cut = nil }
            close()
        }
        onOpen(self)
        try await watched(greeting, write)
        var rings = rings.makeAsyncIterator()
        while true {
            while let bytes = takeBytes() {
                try await watched(bytes, write)
                onWritten()
            }
            guard await rings.next() != nil else { break }
        }
        while let bytes = takeBytes() { try await watched(bytes, write) }
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

    /// Closes the connection if its socket has taken no bytes since a time.
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

    private func watched(_ bytes: [UInt8], _ write: (_ bytes: [UInt8]) async throws -> Void) async throws {
        connection.withLock { $0.writingSince = .now }
        try await write(bytes)
        connection.withLock { $0.writingSince = nil }
    }

    private func takeBytes() -> [UInt8]? {
        let now = ContinuousClock.now
        var bytes: [UInt8] = []
        while bytes.count < Self.pieceBytes, let message = next(now) { bytes += message }
        return bytes.isEmpty ? nil : bytes
    }

    private static let pieceBytes = 32 * 1024
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
