public import CurveKeys
public import PopupAccess

/// The keys, the users and their rights.
public struct Security: Sendable, Equatable {
    /// A user, known by a key.
    public struct User: Sendable, Equatable {
        /// The user's name.
        public var name: UserName
        /// The key by which the user is known.
        public var publicKey: CurvePublicKey
        /// The names of the user's roles; `nil`: the user may do everything.
        public var roles: [String]?

        /// Creates a user; without roles, one who may do everything.
        public init(name: UserName, publicKey: CurvePublicKey, roles: [String]? = nil) {
            self.name = name
            self.publicKey = publicKey
            self.roles = roles
        }
    }

    /// The path of the file with the broker's own key; empty: TCP endpoints are plain.
    public var secretKeyFile = ""
    /// Whether plain TCP endpoints may be bound to other addresses than loopback.
    public var allowPlainNetwork = false
    /// The permissions of `ipc://` sockets, as a file mode.
    public var ipcMode = 0o660
    /// The grants of each role.
    public var roles: [String: [Grant]] = [:]
    /// The users with keys.
    public var users: [User] = []
    /// The roles of clients without a key; `nil`: they may do everything.
    public var anonymous: [String]?

    /// Creates the defaults: no keys; every client may do everything.
    public init() {}

    /// Whether TCP endpoints speak CURVE.
    public var usesCurve: Bool { !secretKeyFile.isEmpty }

    /// Returns the roles and their rights.
    ///
    /// - Throws: `AccessRules.UnknownRole` for a role that is not there.
    public func rules() throws(AccessRules.UnknownRole) -> AccessRules {
        try AccessRules(
            roles: roles, users: users.map { .init(name: $0.name, roles: $0.roles) }, anonymous: anonymous)
    }

    /// The names of the users, by their keys.
    public var usersByKey: [CurvePublicKey: UserName] {
        Dictionary(users.map { ($0.publicKey, $0.name) }) { first, _ in first }
    }
}
