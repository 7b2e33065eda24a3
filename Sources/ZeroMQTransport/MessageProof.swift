import PopupProtocol

/// The proof that a connection finishes its messages.
///
/// libzmq stores the frames of a message without limit until the last one has arrived, and passes none of them on
/// before. Visible are only the number of bytes read from a connection, and the connection of each whole message. The
/// latter costs a look-up per message, so it is used only while a connection is watched:
///
///     trusted ── `suspicionBytes` read since the last proof ──▶ watched ── `allowedBytes` more ──▶ condemned
///        ▲                                                        │
///        └───────────── a whole message: the proof ───────────────┘
///
/// The bytes read before a connection was watched may have been whole messages, so they do not count afterwards.
struct MessageProof {
    /// The number of bytes without a proof after which a connection is watched.
    static let suspicionBytes: Int64 = 64 << 10
    /// The number of bytes that a watched connection may send without a whole message: three times the largest
    /// message. An empty frame takes two bytes on the wire and 64 in libzmq.
    static let allowedBytes = 3 * Int64(Ingress.maxFrameBytes)
    /// The bytes per second that belong to no message: heartbeats.
    static let heartbeatBytes: Int64 = 256

    private struct Watch {
        let begin: Int64
        let time: Int64
        var latest: Int64
    }

    private var provenBytes: Int64 = 0
    private var provenAt: Int64
    private var watch: Watch?

    /// Creates the proof of a connection that was accepted at this time in ms.
    init(at now: Int64) { provenAt = now }

    /// Whether the messages of the connection are checked.
    var isWatched: Bool { watch != nil }

    /// Records a whole message. `bytesRead` is the number of bytes read from the connection until then.
    mutating func finishMessage(bytesRead: Int64, at now: Int64) {
        provenBytes = bytesRead
        provenAt = now
        watch = nil
    }

    /// The assessment of a connection.
    enum Verdict: Equatable {
        /// The connection is not suspicious, is watched from now on, or sent nothing since the last check.
        case calm
        /// The connection is watched, and sends.
        case sending
        /// The connection sent more than it may without a whole message.
        case condemned
    }

    /// Returns the number of bytes since the last known whole message.
    func unprovenBytes(of bytesRead: Int64) -> Int64 { bytesRead - provenBytes }

    /// Whether the connection has sent anything since it is watched.
    func hasSentWhileWatched(_ bytesRead: Int64) -> Bool { watch.map { bytesRead > $0.begin } ?? false }

    /// Assesses the connection by the number of bytes read from it.
    mutating func judge(bytesRead: Int64, at now: Int64) -> Verdict {
        guard var watch else {
            if bytesRead - provenBytes > Self.suspicionBytes + Self.heartbeats(now - provenAt) {
                watch = Watch(begin: bytesRead, time: now, latest: bytesRead)
            }
            return .calm
        }
        let hasSent = bytesRead > watch.latest
        watch.latest = max(watch.latest, bytesRead)
        self.watch = watch
        if bytesRead - watch.begin > Self.allowedBytes + Self.heartbeats(now - watch.time) { return .condemned }
        return hasSent ? .sending : .calm
    }

    private static func heartbeats(_ milliseconds: Int64) -> Int64 { max(0, milliseconds) / 1000 * heartbeatBytes }
}
