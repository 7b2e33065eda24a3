public import PopupAccess
public import ZeroMQ

/// The security settings of a broker's sockets.
public struct SocketSecurity: Sendable {
    /// The secret key of the broker. With it, TCP endpoints accept CURVE only.
    public var secretKey: CurveSecretKey?
    /// The users by their public keys. No other client may connect over CURVE.
    public var users: [CurvePublicKey: UserName]
    /// Whether each subscription takes effect only when the broker accepts it. With a secret key this is always so.
    public var authorizesSubscriptions: Bool
    /// The permissions of the files of `ipc://` sockets.
    public var ipcMode: Int

    /// Creates security settings.
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

    /// Returns the options of a socket that will be bound to this endpoint.
    func options(for endpoint: String) -> [SocketOption] {
        guard let secretKey, isProtected(endpoint) else { return [] }
        return [.curveServer(secretKey), .authenticationDomain("popup-broker"), .requiresAuthenticator(true)]
    }

    /// Whether an endpoint accepts CURVE only.
    func isProtected(_ endpoint: String) -> Bool { secretKey != nil && endpoint.hasPrefix("tcp://") }
}
