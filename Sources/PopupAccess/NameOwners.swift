internal import DequeModule

/// Which user a name belongs to: the first one that used it, for as long as it is remembered.
///
/// Acknowledgements and replies go to topics with a producer's or a client's name, so whoever may choose any name could
/// read or forge another's. A user holds at most `namesPerUser` names; one more forgets its oldest. So nobody can push
/// out the names of another, and a name that is forgotten while it is used becomes its user's again with its next use.
public struct NameOwners<Name: Hashable & Sendable>: Sendable {
    /// Names that a user holds at most.
    public let namesPerUser: Int

    private var owners: [Name: UserName?] = [:]
    /// The names of each user, the oldest first.
    private var names: [UserName?: Deque<Name>] = [:]

    /// No names yet.
    ///
    /// - Precondition: `namesPerUser` is at least 1.
    public init(namesPerUser: Int) {
        precondition(namesPerUser > 0, "a user must be able to hold a name")
        self.namesPerUser = namesPerUser
    }

    /// How many names are remembered.
    public var count: Int { owners.count }

    /// Gives a name to a user, `nil` for a client without a key, unless another one has it. Returns whether the user
    /// has it now.
    public mutating func claim(_ name: Name, for user: UserName?) -> Bool {
        if let owner = owners[name] { return owner == user }
        owners[name] = .some(user)
        names[user, default: []].append(name)
        if names[user, default: []].count > namesPerUser, let oldest = names[user]?.popFirst() {
            owners[oldest] = nil
        }
        return true
    }

    /// Who a name belongs to; `nil`: nobody. The inner `nil` is a client without a key.
    public func owner(of name: Name) -> UserName?? { owners[name] }

    /// Whether a name belongs to a user. Changes nothing.
    public func isOwner(_ user: UserName?, of name: Name) -> Bool {
        owners[name] == .some(user)
    }

    /// Forgets all names of users that are no longer there.
    public mutating func removeUsers(where isGone: (UserName) -> Bool) {
        for user in names.keys {
            guard let user, isGone(user), let gone = names.removeValue(forKey: user) else { continue }
            for name in gone { owners[name] = nil }
        }
    }
}
