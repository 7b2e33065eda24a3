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
/// Heartbeats belong to no message: `heartbeatBytes` of each second do not count. A second with fewer bytes earns
/// nothing for later ones.
struct MessageProof {
    /// The number of bytes without a proof after which a connection is watched.
    static let suspicionBytes: Int64 = 64 << 10
    /// The number of bytes that a watched connection may send without a whole message: three times the largest
    /// message. An empty frame takes two bytes on the wire and 64 in libzmq.
    static let allowedBytes = 3 * Int64(Ingress.maxFrameBytes)
    /// The bytes per second that belong to no message: heartbeats.
    static let heartbeatBytes: Int64 = 256
    /// The maximum time in ms between two checks whose heartbeats do not count: more than a turn of the loop takes.
    static let heartbeatTime: Int64 = 10_000

    /// A number of bytes without a whole message, from which the bytes of heartbeats are subtracted as time passes. It
    /// is never negative.
    private struct Level {
        /// The number of bytes that had been read from the connection.
        private(set) var bytesRead: Int64
        private var time: Int64
        private var thousandths: Int64 = 0

        init(at bytesRead: Int64, _ now: Int64) {
            self.bytesRead = bytesRead
            time = now
        }

        /// The level in bytes, rounded up.
        var bytes: Int64 { (thousandths + 999) / 1000 }

        mutating func rise(to bytesRead: Int64, at now: Int64) {
            let heartbeats = min(max(0, now - time), MessageProof.heartbeatTime) * MessageProof.heartbeatBytes
            thousandths = max(0, thousandths + max(0, bytesRead - self.bytesRead) * 1000 - heartbeats)
            self.bytesRead = max(self.bytesRead, bytesRead)
            time = max(time, now)
        }
    }

    private var provenBytes: Int64 = 0
    /// The bytes since the last proof.
    private var unproven: Level
    /// The bytes since the connection is watched.
    private var watch: Level?

    /// Creates the proof of a connection that was accepted at this time in ms.
    init(at now: Int64) { unproven = Level(at: 0, now) }

    /// Whether the messages of the connection are checked.
    var isWatched: Bool { watch != nil }

    /// Records a whole message. `bytesRead` is the number of bytes read from the connection until then.
    mutating func finishMessage(bytesRead: Int64, at now: Int64) {
        provenBytes = bytesRead
        unproven = Level(at: bytesRead, now)
        watch = nil
    }

    /// The assessment of a connection.
    enum Verdict: Equatable {
        /// The connection is not suspicious, or sent nothing since the last check.
        case calm
        /// The connection is watched from now on, or is watched and sends.
        case sending
        /// The connection sent more than it may without a whole message.
        case condemned
    }

    /// Returns the number of bytes since the last known whole message. Heartbeats count.
    func unprovenBytes(of bytesRead: Int64) -> Int64 { max(0, bytesRead - provenBytes) }

    /// Whether the connection has sent more than the heartbeats of a second since it is watched, as of the last check.
    var hasSentWhileWatched: Bool { watch.map { $0.bytes > Self.heartbeatBytes } ?? false }

    /// Assesses the connection by the number of bytes read from it.
    mutating func judge(bytesRead: Int64, at now: Int64) -> Verdict {
        guard var watch else {
            unproven.rise(to: bytesRead, at: now)
            guard unproven.bytes > Self.suspicionBytes else { return .calm }
            self.watch = Level(at: bytesRead, now)
            return .sending
        }
        let hasSent = bytesRead > watch.bytesRead
        watch.rise(to: bytesRead, at: now)
        self.watch = watch
        if watch.bytes > Self.allowedBytes { return .condemned }
        return hasSent ? .sending : .calm
    }
}
