public import PopupProtocol
public import ZeroMQ

/// Why a client could not do what it was asked.
public enum ClientError: Error, Equatable, Sendable {
    /// The sockets could not be made, mostly for an endpoint that is none.
    case socket(ZeroMQError)
    /// No broker has been reached at the endpoint in this time. The command has not been sent.
    case notConnected(endpoint: String, after: Duration)
    /// The broker is connected but has taken nothing for this time. The command has not been sent.
    case sendTimedOut(endpoint: String, after: Duration)
    /// The command has been sent and no acknowledgement came in this time: it is not known whether the broker has taken
    /// it. Until the connection is closed it is sent on.
    case acknowledgementTimedOut(endpoint: String, after: Duration)
    /// The connection has been closed after the command was sent and before it was acknowledged: it is not known
    /// whether the broker has taken it.
    case closedBeforeAcknowledgement
    /// The query went in and no reply came out in this time.
    case noReply(endpoint: String, after: Duration)
    /// The command breaks the protocol, or the broker refused it or the query.
    case refused(CommandRefusal)
    /// The broker refused so many of the commands that were left to be sent, the first of them for these reasons.
    case partiallyRejected([CommandRefusal], count: Int)
    /// The command's encoding is longer than a frame may be.
    case tooLarge(bytes: Int, limit: Int)
    /// So many commands, or so many bytes of them, wait to be sent already.
    case queueFull(limit: Int)
    /// The reader of a stream of events was slower than the events; so many were kept for it.
    case slowConsumer(limit: Int)
    /// A stream of screens met more groups.
    case tooManyGroups(limit: Int)
    /// A renderer would follow more names and patterns.
    case tooManyLeasedGroups(limit: Int)
    /// So many streams are open already.
    case tooManyStreams(limit: Int)
    /// The group or pattern is outside the grammar.
    case invalidGroup(String)
    /// Another connection, mostly another process, has the outbox file open.
    case outboxInUse(String)
    /// There is a file, and it is no outbox of this version.
    case noOutbox(String)
    /// The outbox file could not be opened, read or written. What was to be stored is not sent.
    case outboxFailed(String, String)
    /// The commands in the outbox that are not settled take so many bytes already.
    case outboxFull(limit: Int)
    /// The connection has been closed.
    case closed
}

extension ClientError: CustomStringConvertible {
    /// One sentence: what failed and what to do.
    public var description: String {
        switch self {
        case .socket(let error):
            "\(error)"
        case .notConnected(let endpoint, let time):
            "no broker reached at \(endpoint) in \(time.inSeconds); start one with `popup-broker run`, or name another"
                + " endpoint"
        case .sendTimedOut(let endpoint, let time):
            "the broker at \(endpoint) took nothing for \(time.inSeconds); it is overloaded or stuck: see its log"
        case .acknowledgementTimedOut(let endpoint, let time):
            "no acknowledgement from \(endpoint) in \(time.inSeconds): it is not known whether the broker has taken the command;"
                + " ask for the popup by its id, or send it again with the same id, which shows it once"
        case .closedBeforeAcknowledgement:
            "the connection was closed before the broker's acknowledgement came: it is not known whether it has taken the command;"
                + " wait for `flush` before closing"
        case .noReply(let endpoint, let time):
            "no reply from \(endpoint) in \(time.inSeconds); check that it is the egress endpoint of the broker that"
                + " the ingress endpoint belongs to"
        case .refused(let refusal):
            "\(refusal)"
        case .partiallyRejected(let refusals, let count):
            "\(count) commands were refused: " + refusals.map(\.description).joined(separator: "; ")
        case .tooLarge(let bytes, let limit):
            "the command takes \(bytes) bytes and a frame \(limit) at most; send less content, or a reference to it"
        case .queueFull(let limit):
            "\(limit) wait to be sent already; send slower, or wait for `flush`"
        case .slowConsumer(let limit):
            "events came faster than they were read, \(limit) were kept; read faster or follow fewer groups"
        case .tooManyGroups(let limit):
            "more than \(limit) groups; follow fewer, or raise the limit `groups`"
        case .tooManyLeasedGroups(let limit):
            "a renderer would follow more than \(limit) groups and patterns; use patterns like `store-12/*`, or several"
                + " renderers"
        case .tooManyStreams(let limit):
            "\(limit) streams are open already; end some, or raise the limit `streams`"
        case .invalidGroup(let text):
            "`\(text)` is no group: use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`, or a pattern like `store/*`"
        case .outboxInUse(let path):
            "the outbox \(path) is in use; give each process a file of its own"
        case .noOutbox(let path):
            "\(path) is no outbox; name another file, or move it away"
        case .outboxFailed(let path, let cause):
            "the outbox \(path) cannot be used: \(cause); check the folder, its rights and the disk, then open it again"
        case .outboxFull(let limit):
            "the outbox holds \(limit) bytes that the broker has not settled; wait for the broker, or raise the limit"
                + " `outboxBytes`"
        case .closed:
            "the connection to the broker has been closed"
        }
    }
}

extension Duration {
    /// "5 s", "0.25 s".
    var inSeconds: String {
        let milliseconds = wireMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
