internal import DequeModule

/// The owner of each name: the first user that used it, for as long as it is remembered.
///
/// Acknowledgements and replies go to topics with a producer's or a client's name, so a user that could choose any name
/// could read or forge those of another. A user holds at most `namesPerUser` names; one more forgets its oldest. So no
/// user can push out the names of another, and a name that is forgotten while it is in use becomes its user's again
/// with its next use. A name that was never used by right can be taken over by a user that has a right: a user without
/// rights keeps no name from others. A name under which its user reads stays with that user until `takeLosers`, so that
/// no other user has it before that reading has ended.
public struct NameOwners<Name: Hashable & Sendable>: Sendable {
    /// The use that a user makes of a name.
    public enum Use: Sendable {
        /// The user reads what is sent to the name.
        case reading
        /// The user asked a query that every user may ask.
        case asking
        /// The user sent a command that needs a right.
        case command
        /// The user reads what is sent to the name, and has rights.
        case readingByRight

        fileprivate var isReading: Bool { self == .reading || self == .readingByRight }
        fileprivate var needsRight: Bool { self == .command || self == .readingByRight }
    }

    /// The greatest number of names of a user.
    public let namesPerUser: Int

    private struct Owner {
        var user: UserName?
        var isReader = false
        var hasUsed = false
        /// The next owner, when the reading of its user has ended; `nil`: none.
        var successor: UserName??
    }

    private var owners: [Name: Owner] = [:]
    /// The names of each user, the oldest first.
    private var names: [UserName?: Deque<Name>] = [:]
    /// The names that are forgotten as soon as no user reads under them.
    private var lost: [Name] = []

    /// Creates a table without names.
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
            if owner.user == user, owner.successor == nil {
                if use.isReading, !owner.isReader { owners[name]?.isReader = true }
                if use.needsRight, !owner.hasUsed { owners[name]?.hasUsed = true }
                return true
            }
            guard isFree(owner, for: user, by: use) else { return false }
            if owner.isReader {
                if owner.successor == nil { lost.append(name) }
                owners[name]?.successor = .some(user)
                return false
            }
            remove(name, of: owner.user)
        }
        owners[name] = Owner(user: user, isReader: use.isReading, hasUsed: use.needsRight)
        names[user, default: []].append(name)
        if names[user, default: []].count > namesPerUser, let oldest = names[user]?.popFirst() { lose(oldest) }
        return true
    }

    /// Whether a user may use a name, at once or after the next `takeLosers`: the name belongs to that user or to none, or
    /// was never used by right.
    public func mayUse(_ name: Name, _ user: UserName?, by use: Use = .command) -> Bool {
        owners[name].map { isFree($0, for: user, by: use) } ?? true
    }

    private func isFree(_ owner: Owner, for user: UserName?, by use: Use) -> Bool {
        if let successor = owner.successor { return successor == user }
        return owner.user == user || use.needsRight && !owner.hasUsed
    }

    private mutating func remove(_ name: Name, of user: UserName?) {
        owners[name] = nil
        if let index = names[user]?.firstIndex(of: name) { names[user]?.remove(at: index) }
    }

    private mutating func lose(_ name: Name) {
        guard let owner = owners[name], owner.isReader else { return owners[name] = nil }
        if owner.successor == nil { lost.append(name) }
    }

    /// Forgets the names that are lost, or gives them to the users that claimed them. Returns the users that read under
    /// them, whose reading must end, and the new owners, to which reading may have been denied before.
    public mutating func takeLosers() -> Set<UserName?> {
        guard !lost.isEmpty else { return [] }
        var losers: Set<UserName?> = []
        let names = lost
        lost.removeAll()
        for name in names {
            guard let owner = owners[name] else { continue }
            losers.insert(owner.user)
            remove(name, of: owner.user)
            if let successor = owner.successor {
                _ = claim(name, for: successor)
                losers.insert(successor)
            }
        }
        return losers
    }

    /// Returns the owner of a name; `nil`: none. The inner `nil` is a client without a key.
    public func owner(of name: Name) -> UserName?? { owners[name].map(\.user) }

    /// Whether a name belongs to a user. Changes nothing.
    public func isOwner(_ user: UserName?, of name: Name) -> Bool {
        owners[name].map { $0.user == user } ?? false
    }

    /// Whether a name belongs to a user that has used it by right. Changes nothing.
    public func hasUsed(_ name: Name, _ user: UserName?) -> Bool {
        owners[name].map { $0.user == user && $0.successor == nil && $0.hasUsed } ?? false
    }

    /// Forgets all names of users that are no longer there.
    public mutating func removeUsers(where isGone: (UserName) -> Bool) {
        for user in names.keys {
            guard let user, isGone(user), let gone = names.removeValue(forKey: user) else { continue }
            for name in gone { owners[name] = nil }
        }
    }
}
