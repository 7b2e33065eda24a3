/// The reason why a request to the gateway failed.
public enum WebClientError: Error, Hashable, Sendable {
    /// The gateway has answered, and not done it.
    case refused(Refusal)
    /// The gateway has not been reached, or the connection broke: it may or may not have taken the request. The text is the
    /// system's.
    case unreachable(String)
    /// The response cannot be read: a proxy or another service may have answered, or redirects to another place, which the
    /// client does not follow, since that would get the token.
    case unreadable(status: Int)
    /// The response has more bytes than this.
    case answerTooLarge(limit: Int)
    /// The address is not that of a gateway: it needs `http` or `https`, and a host.
    case invalidAddress(String)
    /// The text is not a valid group name or pattern.
    case invalidGroup(String)
    /// The stream ended because it brought the states of more groups than this, or more than 256 MiB of them. Follow fewer
    /// groups, or begin the stream anew.
    case tooManyGroups(limit: Int)

    /// The refusal of a request by the gateway.
    public struct Refusal: Hashable, Sendable {
        /// The status of HTTP.
        public var status: Int
        /// The word of the protocol, or of the gateway: `STALE`, `PERMISSION_DENIED`, `UNAUTHENTICATED` …
        public var reason: String
        /// A sentence that says what was wrong, and what to do.
        public var detail: String
        /// The time after which the request may be repeated; `nil`: at once, or not at all.
        public var retryAfter: Duration?
        /// Whether the command may have been performed nevertheless.
        public var isOutcomeUnknown: Bool

        /// Creates a refusal.
        public init(
            status: Int, reason: String, detail: String, retryAfter: Duration? = nil, isOutcomeUnknown: Bool = false
        ) {
            self.status = status
            self.reason = reason
            self.detail = detail
            self.retryAfter = retryAfter
            self.isOutcomeUnknown = isOutcomeUnknown
        }
    }
}

extension WebClientError: CustomStringConvertible {
    /// One sentence that says what failed and what to do.
    public var description: String {
        switch self {
        case .refused(let refusal): "the gateway answered \(refusal.status) \(refusal.reason): \(refusal.detail)"
        case .unreachable(let text): "the gateway is not reached: \(text)"
        case .unreadable(let status):
            "the answer with status \(status) is not of a gateway; check the address, and proxies on the way"
        case .answerTooLarge(let limit):
            "the answer has more than \(limit) bytes; ask for fewer groups, or check the address"
        case .invalidAddress(let text):
            "`\(text)` is not the address of a gateway; use one such as http://127.0.0.1:8570"
        case .invalidGroup(let text): "`\(text)` is not a group name or pattern"
        case .tooManyGroups(let limit):
            "the stream has states of more than \(limit) groups, or more than 256 MiB of them; follow fewer groups"
        }
    }
}
