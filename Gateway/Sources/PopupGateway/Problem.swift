@_spi(Wire) public import PopupClient
import PopupProtocol

/// A response that describes an error: `application/problem+json` of RFC 9457.
public struct Problem: Error, Hashable, Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The reason, a name of the protocol or of the gateway.
    public var reason: String
    /// A sentence that says what was wrong and what to do.
    public var detail: String
    /// The time in ms after which the request may be sent again.
    public var retryAfterMs: UInt32?
    /// Whether the command was sent: `false` if it certainly was not, `"unknown"` if that is not known.
    public var sent: Sent?
    /// The id of the popup, if a repetition needs it.
    public var id: String?
    /// Further headers.
    public var headers: [String: String] = [:]

    /// Whether a command was sent.
    public enum Sent: String, Hashable, Sendable {
        /// The command was certainly not sent.
        case no = "false"
        /// The command may have been sent.
        case unknown = "\"unknown\""
    }

    /// Creates a problem.
    public init(_ status: Int, _ reason: String, _ detail: String, retryAfterMs: UInt32? = nil, sent: Sent? = nil) {
        self.status = status
        self.reason = reason
        self.detail = detail
        self.retryAfterMs = retryAfterMs
        self.sent = sent
    }

    /// Whether the broker has not answered, or was not reached: the next command would have no other outcome.
    var isOutage: Bool { status == 503 || status == 504 }

    /// Returns the problem of a popup that does not exist, or that the token may not see.
    static func unknownPopup(_ id: String) -> Problem {
        Problem(404, "NOT_FOUND", "there is no popup `\(id)`, or the token may not do this with it")
    }

    /// Returns the problem of a method that a path does not have.
    static func method(_ method: String, ofPath path: String, allowed: [String]) -> Problem {
        let allowed = allowed.joined(separator: ", ")
        var problem = Problem(405, "METHOD_NOT_ALLOWED", "`\(path)` has no \(method); use \(allowed)")
        problem.headers["Allow"] = allowed
        return problem
    }

    /// The sentence for clients, which need not know where the broker is.
    private static let noBroker =
        "the gateway does not reach its broker now, or the broker does not answer; try again later"

    /// The problem of a request that is held, or would be, when the gateway ends.
    static var draining: Problem {
        Problem(
            503, "UNAVAILABLE", "the gateway ends; ask again when it is back, or another one",
            retryAfterMs: Gateway.timeToReturn())
    }

    /// Creates the problem of a refused command.
    init(_ refusal: Refusal, retryAfterMs: UInt32? = nil) {
        let status =
            switch refusal.reason {
            case .malformed: 400
            case .invalid: 422
            case .tooLarge: 413
            case .unsupported: 501
            case .notFound: 404
            case .conflict, .stale, .sequenceReused: 409
            case .permissionDenied: 403
            case .overload: 429
            case .unspecified, .unrecognized: 502
            }
        self.init(status, refusal.reason.name, refusal.detail, retryAfterMs: retryAfterMs)
    }

    /// Creates the problem of a command that is refused before it is sent.
    public init(_ refusal: CommandRefusal) {
        self.init(Refusal(refusal), retryAfterMs: refusal.retryAfter)
    }

    /// Creates the problem of a call that failed.
    public init(_ error: ClientError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .partiallyRejected(let refusals, _):
            self = refusals.first.map { Problem($0) } ?? Problem(502, "REFUSED", "\(error)")
        case .tooLarge: self.init(413, "TOO_LARGE", "\(error)")
        case .invalidGroup: self.init(422, "INVALID", "\(error)")
        case .acknowledgementTimedOut, .closedBeforeAcknowledgement:
            self.init(504, "UNKNOWN", "\(error)", sent: .unknown)
        case .noReply: self.init(504, "NO_REPLY", "\(error)")
        case .tooManyStreams, .tooManyGroups, .tooManyLeasedGroups, .slowConsumer:
            self.init(429, "OVERLOAD", "\(error)", retryAfterMs: 1000)
        case .notConnected:
            self.init(503, "UNAVAILABLE", Self.noBroker, retryAfterMs: 1000, sent: .no)
        case .handshakeFailed, .sendTimedOut, .queueFull, .closed, .socket, .keyFile, .incompleteKeys,
            .outboxInUse, .noOutbox, .outboxFailed, .outboxFull:
            self.init(503, "UNAVAILABLE", "\(error)", retryAfterMs: 1000, sent: .no)
        }
    }

    /// Creates the problem of any error of a call.
    init(failure: any Error) {
        switch failure {
        case let problem as Problem: self = problem
        case let error as ClientError: self.init(error)
        default: self.init(503, "CANCELLED", "the request was ended before its answer", sent: .unknown)
        }
    }

    /// The response.
    public var response: GatewayResponse {
        var fields = [
            "\"type\":\(JSONText.quoted("/problems/\(reason.lowercased())"))", "\"title\":\(JSONText.quoted(title))",
            "\"status\":\(status)",
            "\"detail\":\(JSONText.quoted(detail))", "\"reason\":\(JSONText.quoted(reason))",
        ]
        if let retryAfterMs { fields.append("\"retryAfterMs\":\(retryAfterMs)") }
        if let sent { fields.append("\"sent\":\(sent.rawValue)") }
        if let id { fields.append("\"id\":\(JSONText.quoted(id))") }
        var response = GatewayResponse(status: status, json: Array("{\(fields.joined(separator: ","))}".utf8))
        response.headers["Content-Type"] = "application/problem+json"
        if status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        if status == 429 || status == 503 {
            response.headers["Retry-After"] = "\(max(1, (Int(retryAfterMs ?? 1000) + 999) / 1000))"
        }
        response.headers.merge(headers) { $1 }
        return response
    }

    private var title: String {
        switch status {
        case 400 where reason != "INVALID": "The request is malformed"
        case 401: "A token is needed"
        case 403: "The token lacks a right"
        case 404: "Not found"
        case 405: "The path has other methods"
        case 408: "The request took too long"
        case 409: "The popup has changed"
        case 413: "The request is too large"
        case 415: "The body has another type"
        case 421: "The host is another one"
        case 400, 422: "A value is invalid"
        case 429: "Too many requests"
        case 501: "This version does not have it"
        case 503: "The service is not available now"
        case 504: "The broker has not answered"
        default: "The request failed"
        }
    }
}
