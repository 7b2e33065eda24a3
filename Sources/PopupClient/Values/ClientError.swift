public import PopupValues
public import ZeroMQ

/// The reason why a call of the client failed.
public enum ClientError: Error, Equatable, Sendable {
    /// The sockets could not be created, usually because an endpoint is invalid.
    case socket(ZeroMQError)
    /// No broker has been reached at the endpoint in this time. The command has not been sent.
    case notConnected(endpoint: String, after: Duration)
    /// The broker has been reached, and the handshake failed. The command has not been sent, and it is tried again.
    case handshakeFailed(endpoint: String, HandshakeFailure)
    /// A key file cannot be used.
    case keyFile(KeyFile.Failure)
    /// One of the two key files is missing.
    case incompleteKeys
    /// The broker is connected, but has read nothing for this time. The command has not been sent.
    case sendTimedOut(endpoint: String, after: Duration)
    /// The command has been sent, and no acknowledgement arrived in this time: the broker may or may not have accepted it.
    /// Until the connection is closed, it is sent again.
    case acknowledgementTimedOut(endpoint: String, after: Duration)
    /// The connection was closed after the command was sent and before it was acknowledged: the broker may or may not have
    /// accepted it.
    case closedBeforeAcknowledgement
    /// No reply to the query arrived in this time.
    case noReply(endpoint: String, after: Duration)
    /// The command is not valid, or the broker has refused the command or the query.
    case refused(Refusal)
    /// The broker has refused this number of queued commands, the first of them for these reasons.
    case partiallyRejected([Refusal], count: Int)
    /// The encoded command is longer than a frame may be.
    case tooLarge(bytes: Int, limit: Int)
    /// The queue of commands to be sent is full, by number or by bytes.
    case queueFull(limit: Int)
    /// The loop that reads events was too slow, and the queue of the stream is full.
    case slowConsumer(limit: Int)
    /// A stream of states has met more groups.
    case tooManyGroups(limit: Int)
    /// A renderer would follow more names and patterns than this.
    case tooManyLeasedGroups(limit: Int)
    /// The number of open streams has reached this limit.
    case tooManyStreams(limit: Int)
    /// The text is not a valid group name or pattern.
    case invalidGroup(String)
    /// Another connection, usually of another process, uses the outbox file.
    case outboxInUse(String)
    /// The file exists and is not an outbox of this version.
    case noOutbox(String)
    /// The outbox file could not be opened, read or written. The commands to be stored are not sent.
    case outboxFailed(String, String)
    /// The unsettled commands in the outbox have reached this limit in bytes.
    case outboxFull(limit: Int)
    /// The connection has been closed.
    case closed
}

extension ClientError: CustomStringConvertible {
    /// One sentence that says what failed and what to do.
    public var description: String {
        switch self {
        case .socket(let error):
            "\(error)"
        case .notConnected(let endpoint, let time):
            "no broker reached at \(endpoint) in \(time.inSeconds); start one with `popup-broker run`, or use another"
                + " endpoint"
        case .handshakeFailed(let endpoint, .mechanism):
            "the broker at \(endpoint) and this client do not both use keys: if the broker has keys, give the client's key"
                + " file and the broker's public key; if it has none, give neither"
        case .handshakeFailed(let endpoint, .denied):
            "the broker at \(endpoint) does not know this client's key; add its public key to `security.users` of the broker"
        case .handshakeFailed(let endpoint, .socketType):
            "the endpoints are not those of a broker (ingress: \(endpoint)); check that ingress and egress are not exchanged"
        case .handshakeFailed(let endpoint, .other), .handshakeFailed(let endpoint, .ended):
            "the broker at \(endpoint) ended the handshake; check that the server key is the public key of this broker"
        case .keyFile(let failure):
            "\(failure)"
        case .incompleteKeys:
            "a broker with keys needs both the client's own key file and the file of the broker's public key; name the other"
                + " one, too"
        case .sendTimedOut(let endpoint, let time):
            "the broker at \(endpoint) has read nothing for \(time.inSeconds); it is overloaded or blocked: see its log"
        case .acknowledgementTimedOut(let endpoint, let time):
            "no acknowledgement from \(endpoint) in \(time.inSeconds): the broker may or may not have accepted the command;"
                + " ask with `explain`, or send the popup again with the same id: it is shown once"
        case .closedBeforeAcknowledgement:
            "the connection was closed before the acknowledgement: the broker may or may not have accepted the command;"
                + " call `flush` before you close it"
        case .noReply(let endpoint, let time):
            "no reply from \(endpoint) in \(time.inSeconds); check that the ingress and the egress endpoint are those of one"
                + " broker"
        case .refused(let refusal):
            "\(refusal)"
        case .partiallyRejected(let refusals, let count):
            "\(count) commands were refused: " + refusals.map(\.description).joined(separator: "; ")
        case .tooLarge(let bytes, let limit):
            "the command has \(bytes) bytes, but a frame has at most \(limit); send less content, or a reference to it"
        case .queueFull(let limit):
            "the queue is full: \(limit) are waiting to be sent; send more slowly, or wait for `flush`"
        case .slowConsumer(let limit):
            "events arrived faster than they were read, and more than \(limit) are waiting; read faster, or follow fewer groups"
        case .tooManyGroups(let limit):
            "the stream has more than \(limit) groups; follow fewer, or raise the limit `groups`"
        case .tooManyLeasedGroups(let limit):
            "a renderer can follow at most \(limit) groups and patterns; use patterns like `store-12/*`, or several"
                + " renderers"
        case .tooManyStreams(let limit):
            "\(limit) streams are open, the most that are allowed; end some, or raise the limit `streams`"
        case .invalidGroup(let text):
            "`\(text)` is not a valid group name or pattern: use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`, or a pattern like"
                + " `store/*`"
        case .outboxInUse(let path):
            "the outbox \(path) is in use by another process; use one file per process"
        case .noOutbox(let path):
            "\(path) is not an outbox; use another file, or move this one away"
        case .outboxFailed(let path, let cause):
            "the outbox \(path) cannot be used: \(cause); check the directory, its permissions and the disk, then open it again"
        case .outboxFull(let limit):
            "the outbox is full: the broker has not settled \(limit) bytes in it; wait for the broker, or raise the limit"
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
