internal import DequeModule

/// Which user a name belongs to: the first one that used it, for as long as it is remembered.
///
/// Acknowledgements and replies go to topics with a producer's or a client's name, so whoever may choose any name could
/// read or forge another's. A user holds at most `namesPerUser` names; one more forgets its oldest. So nobody can push
/// out the names of another, and a name that is forgotten while it is used becomes its user's again with its next use.
/// A name that was never used by right can be taken by another user that has one: who may do nothing keeps no name from
/// whoever may do something. A name under which its user reads stays its user's until `takeLosers`, so that nobody
/// else has it before that reading has ended.
public struct NameOwners<Name: Hashable & Sendable>: Sendable {
    /// The use that a user makes of a name.
    public enum Use: Sendable {
        /// By reading what is sent to it.
        case reading
        /// By a question that everybody may ask.
        case asking
        /// By a command that needs a right.
        case command
        /// By reading what is sent to it, of a user with rights.
        case readingByRight

        fileprivate var isReading: Bool { self == .reading || self == .readingByRight }
        fileprivate var needsRight: Bool { self == .command || self == .readingByRight }
    }

    /// Names that a user holds at most.
    public let namesPerUser: Int

    private struct Owner {
        var user: UserName?
        var isReader = false
        var hasUsed = false
        /// The next owner, when the reading of its user has ended; `nil`: nobody.
        var heir: UserName??
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

    /// The number of remembered names.
    public var count: Int { owners.count }

    /// Gives a name to a user, `nil` for a client without a key, unless another one has it. Returns whether the user
    /// has it now.
    ///
    /// A name that another user has only read under is the user's after the next `takeLosers`, if it is claimed by a use
    /// that needs a right.
    public mutating func claim(_ name: Name, for user: UserName?, by use: Use = .command) -> Bool {
        if let owner = owners[name] {
            if owner.user == user, owner.heir == nil {
                if use.isReading, !owner.isReader { owners[name]?.isReader = true }
                if use.needsRight, !owner.hasUsed { owners[name]?.hasUsed = true }
                return true
            }
            guard isFree(owner, for: user, by: use) else { return false }
            if owner.isReader {
                if owner.heir == nil { lost.append(name) }
                owners[name]?.heir = .some(user)
                return false
            }
            remove(name, of: owner.user)
        }
        owners[name] = Owner(user: user, isReader: use.isReading, hasUsed: use.needsRight)
        names[user, default: []].append(name)
        if names[user, default: []].count > namesPerUser, let oldest = names[user]?.popFirst() { lose(oldest) }
        return true
    }

    /// Whether a user may use a name, at once or after the next `takeLosers`: it is its own, or nobody's, or nobody has
    /// used it by right.
    public func mayUse(_ name: Name, _ user: UserName?, by use: Use = .command) -> Bool {
        owners[name].map { isFree($0, for: user, by: use) } ?? true
    }

    private func isFree(_ owner: Owner, for user: UserName?, by use: Use) -> Bool {
        if let heir = owner.heir { return heir == user }
        return owner.user == user || use.needsRight && !owner.hasUsed
    }

    private mutating func remove(_ name: Name, of user: UserName?) {
        owners[name] = nil
        if let index = names[user]?.firstIndex(of: name) { names[user]?.remove(at: index) }
    }

    private mutating func lose(_ name: Name) {
        guard let owner = owners[name], owner.isReader else { return owners[name] = nil }
        if owner.heir == nil { lost.append(name) }
    }

    /// Forgets the names that are lost, or gives them to whoever has claimed them. Returns the users who read under them:
    /// end that reading; and those who have them now, to whom reading may have been denied before.
    public mutating func takeLosers() -> Set<UserName?> {
        guard !lost.isEmpty else { return [] }
        var losers: Set<UserName?> = []
        let names = lost
        lost.removeAll()
        for name in names {
            guard let owner = owners[name] else { continue }
            losers.insert(owner.user)
            remove(name, of: owner.user)
            if let heir = owner.heir {
                _ = claim(name, for: heir)
                losers.insert(heir)
            }
        }
        return losers
    }

    /// Returns the owner of a name; `nil`: nobody. The inner `nil` is a client without a key.
    public func owner(of name: Name) -> UserName?? { owners[name].map(\.user) }

    /// Whether a name belongs to a user. Changes nothing.
    public func isOwner(_ user: UserName?, of name: Name) -> Bool {
        owners[name].map { $0.user == user } ?? false
    }

    /// Whether a name belongs to a user that has used it by right. Changes nothing.
    public func hasUsed(_ name: Name, _ user: UserName?) -> Bool {
        owners[name].map { $0.user == user && $0.heir == nil && $0.hasUsed } ?? false
    }

    /// Forgets all names of users that are no longer there.
    public mutating func removeUsers(where isGone: (UserName) -> Bool) {
        for user in names.keys {
            guard let user, isGone(user), let gone = names.removeValue(forKey: user) else { continue }
            for name in gone { owners[name] = nil }
        }
    }
}
