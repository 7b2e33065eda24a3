internal import PopupProtocol

/// All users and roles, with their rights.
public struct AccessRules: Hashable, Sendable {
    /// A user, which has a key.
    public struct User: Hashable, Sendable {
        /// The user's name.
        public var name: UserName
        /// The names of the roles, which `AccessRules.roles` has; `nil`: the user may do everything.
        public var roles: [String]?

        /// Creates a user.
        public init(name: UserName, roles: [String]?) {
            self.name = name
            self.roles = roles
        }
    }

    /// The grants of each role.
    public private(set) var roles: [String: [Grant]]
    /// The users, by name.
    public private(set) var users: [UserName: UserAccess]
    /// The access of clients without a key.
    public private(set) var anonymous: UserAccess

    /// A role that a user or the anonymous clients name, and that is not there.
    public struct UnknownRole: Error, Hashable, Sendable {
        /// The role's name.
        public var role: String
        /// The user that names it; `nil`: the anonymous clients.
        public var user: UserName?

        /// Creates the error for a role that this user names.
        public init(role: String, user: UserName?) {
            self.role = role
            self.user = user
        }
    }

    /// Creates the rules of these roles and users, and of clients without a key: with `nil` they may do everything.
    ///
    /// - Throws: `UnknownRole` for the first role that does not exist.
    public init(roles: [String: [Grant]], users: [User], anonymous: [String]?) throws(UnknownRole) {
        self.roles = roles
        self.users = [:]
        self.anonymous = .nothing
        for user in users { self.users[user.name] = try access(of: user.roles, user: user.name) }
        self.anonymous = try access(of: anonymous, user: nil)
    }

    /// The rules of a broker without users: every client may do everything.
    public static let open = AccessRules()

    private init() {
        roles = [:]
        users = [:]
        anonymous = .unrestricted
    }

    /// Whether every client may do everything, so that no request has to be checked.
    public var isOpen: Bool { users.isEmpty && anonymous.isUnrestricted }

    /// Whether a grant is limited to the user's own popups.
    public var limitsToOwn: Bool {
        users.values.contains { $0.grants.contains(where: \.ownPopupsOnly) }
    }

    /// Returns the access of a user, or of clients without a key for `nil`. An unknown user has no access.
    public func access(of user: UserName?) -> UserAccess {
        guard let user else { return anonymous }
        return users[user] ?? .nothing
    }

    private func access(of roles: [String]?, user: UserName?) throws(UnknownRole) -> UserAccess {
        guard let roles else { return .unrestricted }
        var grants: [Grant] = []
        for role in roles {
            guard let given = self.roles[role] else { throw UnknownRole(role: role, user: user) }
            grants += given
        }
        return UserAccess(grants)
    }
}

/// The name of a user: one segment, 1 to 64 of `A–Z a–z 0–9 . _ -`.
public struct UserName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it is written.
    public let text: String

    /// Creates a name; `nil` if `text` is not valid.
    public init?(_ text: String) {
        guard ClientToken.isValid(text.utf8.span) else { return nil }
        self.text = text
    }

    /// The name as it is written.
    public var description: String { text }
}

extension UserName: Comparable {
    /// Returns whether one name is before the other in byte order.
    public static func < (left: UserName, right: UserName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
