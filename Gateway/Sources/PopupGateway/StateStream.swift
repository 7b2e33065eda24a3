internal import PopupClient

/// The bytes of a stream of states, in pieces of at most about 64 KiB. One loop reads it; `close` ends it.
public final class StateStream: Sendable {
    /// The framing.
    public let format: StreamFormat
    private let greeting: [UInt8]
    private let watch: Watch
    private let severalGroups: Bool
    private let onClose: @Sendable () -> Void

    init(
        _ watch: Watch, _ format: StreamFormat, greeting: [UInt8], severalGroups: Bool,
        onClose: @escaping @Sendable () -> Void
    ) {
        self.watch = watch
        self.format = format
        self.greeting = greeting
        self.severalGroups = severalGroups
        self.onClose = onClose
    }

    /// Writes the stream until it ends.
    ///
    /// - Parameter write: Writes bytes, and returns when the socket takes more. What changes meanwhile is sent once.
    public func write(_ write: (_ bytes: [UInt8]) async throws -> Void) async throws {
        defer { onClose() }
        try await write(greeting)
        var rings = watch.rings.makeAsyncIterator()
        while true {
            while let bytes = takeBytes() { try await write(bytes) }
            guard await rings.next() != nil else { break }
        }
        while let bytes = takeBytes() { try await write(bytes) }
    }

    private func takeBytes() -> [UInt8]? {
        let now = ContinuousClock.now
        var bytes: [UInt8] = []
        while bytes.count < Self.pieceBytes, let item = watch.take(at: now) { bytes += message(item, at: now) }
        return bytes.isEmpty ? nil : bytes
    }

    private func message(_ item: Watch.Item, at now: ContinuousClock.Instant) -> [UInt8] {
        switch item {
        case .broker(let isConnected): format.message("broker", "{\"connected\":\(isConnected)}")
        case .state(let state):
            format.message(
                "state", state.json(at: now), id: state.version + (severalGroups ? "@\(state.group)" : ""))
        case .synced(let epoch, let states):
            format.message("synced", "{\"epoch\":\"\(epoch)\",\"states\":\(states),\"resumed\":false}")
        case .ping: format.message("ping", "{\"time\":\"\(UnixTime.milliseconds)\"}")
        case .retry(let milliseconds): format.retry(milliseconds)
        }
    }

    private static let pieceBytes = 32 * 1024
}
