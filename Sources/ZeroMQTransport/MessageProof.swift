/// Whether a connection finishes the messages that it sends.
///
/// libzmq keeps the frames of a message until its last one has come, without any limit, and shows none of them before.
/// What can be seen is how many bytes it has read from a connection, and which connection a whole message came over.
/// The second costs a look-up for each message, so it is looked at only while a connection is watched:
///
///     trusted ── `suspicionBytes` read since the last proof ──▶ watched ── `allowedBytes` more ──▶ condemned
///        ▲                                                        │
///        └───────────── a whole message: the proof ───────────────┘
///
/// What was read before it was watched may have been whole messages, and counts for nothing afterwards.
struct MessageProof {
    /// Bytes without a proof after which a connection is watched.
    static let suspicionBytes: Int64 = 512 << 10
    /// Bytes that a watched connection may send without a whole message: several times the largest that is taken.
    static let allowedBytes: Int64 = 2 << 20
    /// The same as `suspicionBytes` while memory is short: a frame without a byte takes two bytes here, and 64 in libzmq.
    static let suspicionBytesWhenShort: Int64 = 64 << 10
    /// Bytes a second that are no message's: heartbeats.
    static let heartbeatBytes: Int64 = 256

    private struct Watch {
        let begin: Int64
        let time: Int64
        var latest: Int64
    }

    private var provenBytes: Int64 = 0
    private var provenAt: Int64
    private var watch: Watch?

    /// A connection that was accepted at this time, in ms.
    init(at now: Int64) { provenAt = now }

    /// Whether its messages are to be looked at.
    var isWatched: Bool { watch != nil }

    /// Notes a whole message, after so many bytes were read from the connection.
    mutating func finishMessage(bytesRead: Int64, at now: Int64) {
        provenBytes = bytesRead
        provenAt = now
        watch = nil
    }

    /// How the connection stands.
    enum Verdict: Equatable {
        /// Nothing is known against it, or nothing came since the last look.
        case calm
        /// It is watched, and sends.
        case sending
        /// It sent more than it may without a whole message.
        case condemned
    }

    /// Bytes since the last whole message that is known of.
    func unprovenBytes(of bytesRead: Int64) -> Int64 { bytesRead - provenBytes }

    /// Judges the connection by the bytes read from it so far.
    mutating func judge(bytesRead: Int64, at now: Int64, isMemoryShort: Bool = false) -> Verdict {
        guard var watch else {
            let least = isMemoryShort ? Self.suspicionBytesWhenShort : Self.suspicionBytes
            guard bytesRead - provenBytes > least + Self.heartbeats(now - provenAt) else { return .calm }
            self.watch = Watch(begin: bytesRead, time: now, latest: bytesRead)
            return .sending
        }
        let hasSent = bytesRead > watch.latest
        watch.latest = max(watch.latest, bytesRead)
        self.watch = watch
        if bytesRead - watch.begin > Self.allowedBytes + Self.heartbeats(now - watch.time) { return .condemned }
        return hasSent ? .sending : .calm
    }

    private static func heartbeats(_ milliseconds: Int64) -> Int64 { max(0, milliseconds) / 1000 * heartbeatBytes }
}
