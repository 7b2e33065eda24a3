public import PopupAccess
public import ZeroMQ

/// Who may connect.
public struct Security: Sendable, Equatable {
    /// Somebody with a key.
    public struct User: Sendable, Equatable {
        /// The user's name.
        public var name: UserName
        /// The key by which the user is known.
        public var publicKey: CurvePublicKey

        /// A user.
        public init(name: UserName, publicKey: CurvePublicKey) {
            self.name = name
            self.publicKey = publicKey
        }
    }

    /// The file of the broker's own key; empty: TCP endpoints are plain.
    public var secretKeyFile = ""
    /// Whether plain TCP endpoints may be bound to other addresses than loopback.
    public var allowPlainNetwork = false
    /// The permissions of `ipc://` sockets.
    public var ipcMode = 0o660
    /// Who has a key.
    public var users: [User] = []
    /// The defaults: no keys, and connections from this machine only.
    public init() {}

    /// Whether TCP endpoints speak CURVE.
    public var usesCurve: Bool { !secretKeyFile.isEmpty }

    /// The names of the users, by their keys.
    public var usersByKey: [CurvePublicKey: UserName] {
        Dictionary(users.map { ($0.publicKey, $0.name) }) { first, _ in first }
    }
}
