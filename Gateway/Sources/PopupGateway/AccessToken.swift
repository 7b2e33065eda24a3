public import PopupAccess
public import PopupProtocol

/// An access token of the gateway, with its rights and limits.
public struct AccessToken: Hashable, Sendable {
    /// The name, for logs and ids.
    public var name: UserName
    /// The hash of the secret.
    public var hash: TokenHash
    /// The rights.
    public var access: UserAccess
    /// The maximum number of its open streams.
    public var streams: Int
    /// The maximum number of its requests in a second; `nil`: that of the gateway.
    public var requests: Int?
    /// Whether its commands have a connection of their own to the broker: for the broker, it is a producer of its own.
    public var isSeparate: Bool
    /// The webhook, which makes popups of the messages of another service; `nil` for a token without one.
    public var hook: Hook?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - hash: The hash of the secret.
    ///   - may: The groups of each right.
    ///   - maxPriority: The highest priority of its popups; `nil`: any.
    ///   - streams: The maximum number of its open streams.
    ///   - requests: The maximum number of its requests in a second; `nil`: that of the gateway.
    ///   - isSeparate: Whether its commands have a connection of their own to the broker.
    ///   - hook: The webhook, which makes popups of the messages of another service; `nil`: none.
    public init(
        name: UserName, hash: TokenHash, may: [Right: [GroupPattern]], maxPriority: Int32? = nil,
        streams: Int = 100, requests: Int? = nil, isSeparate: Bool = false, hook: Hook? = nil
    ) {
        self.name = name
        self.hash = hash
        self.streams = streams
        self.requests = requests
        self.isSeparate = isSeparate
        self.hook = hook
        // `exclusive` beyond the group needs control everywhere.
        let reach: Grant.ExclusiveReach = may[.control, default: []].contains { $0.form == .every } ? .all : .group
        access = UserAccess(
            Right.allCases.compactMap { right in
                guard let groups = may[right], !groups.isEmpty else { return nil }
                let isLimited = right == .show || right == .update
                return Grant(
                    groups: groups, rights: Rights(right), maxPriority: isLimited ? maxPriority : nil,
                    exclusive: right == .show ? reach : .none)
            })
    }

    /// Returns the secret in an `Authorization` header.
    static func secret(authorization: String?) -> String? {
        guard let authorization, let space = authorization.firstIndex(of: " "),
            authorization[..<space].lowercased() == "bearer"
        else { return nil }
        return String(authorization[authorization.index(after: space)...].drop { $0 == " " })
    }

    /// The maximum number of tokens whose commands have a connection of their own.
    public static let maxSeparate = 32

    /// Whether it has control of every group.
    public var controlsEverything: Bool { access.has(.control, in: .every) }
}

/// The access tokens, by the hashes of their secrets.
public struct TokenTable: Sendable {
    private let tokens: [TokenHash: AccessToken]

    /// Creates the table. Of several tokens with one hash, the last counts.
    public init(_ tokens: [AccessToken] = []) {
        self.tokens = Dictionary(tokens.map { ($0.hash, $0) }) { $1 }
    }

    /// The names of the tokens that have a connection of their own.
    var separateNames: Set<UserName> { Set(tokens.values.filter(\.isSeparate).map(\.name)) }

    /// The names of the tokens that have a webhook.
    var hookNames: Set<UserName> { Set(tokens.values.filter { $0.hook != nil }.map(\.name)) }

    /// Returns the token of an `Authorization` header; `nil` if there is none.
    public func token(authorization: String?) -> AccessToken? {
        AccessToken.secret(authorization: authorization).flatMap { token(secret: $0) }
    }

    /// Returns the token of a secret; `nil` if there is none.
    func token(secret: String) -> AccessToken? {
        tokens[TokenHash(of: secret)]
    }

    /// Returns the webhook of this name, if it has signed the request; `nil` otherwise.
    func signedHook(named name: String, in request: GatewayRequest) -> AccessToken? {
        tokens.values.first { $0.name.text == name && $0.hook?.signature?.isValid(in: request) == true }
    }

    /// Whether a request has the header in which the webhook of this name has its signature.
    func hasSignature(ofHookNamed name: String, in request: GatewayRequest) -> Bool {
        tokens.values.contains { token in
            token.name.text == name && token.hook?.signature.map { request.headers[$0.header] != nil } == true
        }
    }

    /// Whether there is a token of this name.
    func contains(named name: UserName) -> Bool {
        tokens.values.contains { $0.name == name }
    }

    /// Whether a token is still there, with the same rights.
    public func contains(_ token: AccessToken) -> Bool {
        tokens[token.hash] == token
    }
}
