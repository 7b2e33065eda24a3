public import PopupAccess
public import ZeroMQ

/// How the sockets of a broker are protected.
public struct SocketSecurity: Sendable {
    /// The broker's own key: with it, TCP endpoints speak CURVE only.
    public var secretKey: CurveSecretKey?
    /// The users by their public keys; nobody else is let in over CURVE.
    public var users: [CurvePublicKey: UserName]
    /// Whether each subscription takes effect only when the broker accepts it. With a key this is always so.
    public var authorizesSubscriptions: Bool
    /// The permissions of `ipc://` sockets.
    public var ipcMode: Int

    /// The protection by a key, users and permissions.
    public init(
        secretKey: CurveSecretKey? = nil, users: [CurvePublicKey: UserName] = [:],
        authorizesSubscriptions: Bool = false,
        ipcMode: Int = 0o660
    ) {
        self.secretKey = secretKey
        self.users = users
        self.authorizesSubscriptions = authorizesSubscriptions
        self.ipcMode = ipcMode
    }

    /// The options of a socket that will be bound to this endpoint.
    func options(for endpoint: String) -> [SocketOption] {
        guard let secretKey, isProtected(endpoint) else { return [] }
        return [.curveServer(secretKey), .authenticationDomain("popup-broker")]
    }

    /// Whether an endpoint speaks CURVE only.
    func isProtected(_ endpoint: String) -> Bool { secretKey != nil && endpoint.hasPrefix("tcp://") }
}
