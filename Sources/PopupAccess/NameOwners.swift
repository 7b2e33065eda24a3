internal import DequeModule

/// Which user a name belongs to: the first one that used it, for as long as it is remembered.
///
/// Acknowledgements and replies go to topics with a producer's or a client's name, so whoever may choose any name could
/// read or forge another's. A user holds at most `namesPerUser` names; one more forgets its oldest. So nobody can push
/// out the names of another, and a name that is forgotten while it is used becomes its user's again with its next use.
/// A name under which its user reads stays its user's until `takeLosers`, so that nobody else has it before that reading
/// has ended.
public struct NameOwners<Name: Hashable & Sendable>: Sendable {
    /// Names that a user holds at most.
    public let namesPerUser: Int

    private struct Owner {
        var user: UserName?
        var isReader = false
    }

    private var owners: [Name: Owner] = [:]
    /// The names of each user, the oldest first.
    private var names: [UserName?: Deque<Name>] = [:]
    /// Names that are forgotten as soon as nobody reads under them.
    private var lost: [Name] = []

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
    ///
    /// - Parameter reading: Whether the user reads under the name from now on.
    public mutating func claim(_ name: Name, for user: UserName?, reading: Bool = false) -> Bool {
        if let owner = owners[name] {
            guard owner.user == user else { return false }
            if reading, !owner.isReader { owners[name] = Owner(user: user, isReader: true) }
            return true
        }
        owners[name] = Owner(user: user, isReader: reading)
        names[user, default: []].append(name)
        if names[user, default: []].count > namesPerUser, let oldest = names[user]?.popFirst() { lose(oldest) }
        return true
    }

    private mutating func lose(_ name: Name) {
        if owners[name]?.isReader == true { lost.append(name) } else { owners[name] = nil }
    }

    /// Forgets the names that are lost, and returns the users who read under them: end that reading.
    public mutating func takeLosers() -> Set<UserName?> {
        guard !lost.isEmpty else { return [] }
        var losers: Set<UserName?> = []
        for name in lost { if let owner = owners.removeValue(forKey: name) { losers.insert(owner.user) } }
        lost.removeAll()
        return losers
    }

    /// Who a name belongs to; `nil`: nobody. The inner `nil` is a client without a key.
    public func owner(of name: Name) -> UserName?? { owners[name].map(\.user) }

    /// Whether a name belongs to a user. Changes nothing.
    public func isOwner(_ user: UserName?, of name: Name) -> Bool {
        owners[name].map { $0.user == user } ?? false
    }

    /// Forgets all names of users that are no longer there.
    public mutating func removeUsers(where isGone: (UserName) -> Bool) {
        for user in names.keys {
            guard let user, isGone(user), let gone = names.removeValue(forKey: user) else { continue }
            for name in gone { owners[name] = nil }
        }
    }
}
