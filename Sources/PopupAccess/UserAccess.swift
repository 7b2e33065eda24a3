public import PopupProtocol

/// The rights of one user: the grants of all of its roles.
///
/// A request is allowed when one grant allows all of it. Grants do not add up: a role that may show everywhere up to
/// priority 1 and another that may show in `lobby` up to 5 allow priority 5 in `lobby` only.
public struct UserAccess: Hashable, Sendable {
    /// The grants, in the order of the roles.
    public let grants: [Grant]
    /// Whether a grant gives everything everywhere: nothing has to be looked at then.
    public let isUnrestricted: Bool
    private let showGrants: ShowGrants

    /// Creates the rights that these grants give together.
    public init(_ grants: [Grant]) {
        self.grants = grants
        isUnrestricted = grants.contains { grant in
            grant.rights == .all && grant.maxPriority == nil && grant.exclusive == .all && !grant.ownPopupsOnly
                && grant.groups.contains { $0.form == .every }
        }
        showGrants = ShowGrants(grants)
    }

    /// The access of every client at a broker without users: every right in every group.
    public static let unrestricted = UserAccess([.everything])

    /// The access without any right.
    public static let nothing = UserAccess([])

    /// Returns the reason for which the request is denied; `nil` if it is allowed. Of several reasons it is the one that lacks least.
    public func denial(of request: AccessRequest) -> Denial? {
        if isUnrestricted { return nil }
        var nearest = Denial.Cause.right
        for grant in grants where grant.covers(request.groups) {
            guard let cause = grant.missing(for: request.action) else { return nil }
            nearest = max(nearest, cause)
        }
        return Denial(nearest, of: request.right, in: request.groups)
    }

    /// Whether the user may show a popup in the group of this name, unless it replaces one of another user: the same as
    /// `denial`, without a reason, for the many that are allowed.
    public func mayShow(in group: RawSpan, priority: Int32, exclusive: Grant.ExclusiveReach) -> Bool {
        isUnrestricted || showGrants.allow(in: group, priority: priority, exclusive: exclusive)
    }

    /// Whether the user has a right in some group.
    public func hasAnywhere(_ right: Right) -> Bool {
        grants.contains { $0.rights.contains(right) }
    }

    /// Whether the user has a right in all groups that a pattern chooses.
    public func has(_ right: Right, in groups: GroupPattern) -> Bool {
        grants.contains { $0.rights.contains(right) && $0.covers(groups) }
    }
}

extension Grant {
    /// Returns what it lacks for an action in its groups; `nil` if it lacks nothing.
    fileprivate func missing(for action: AccessRequest.Action) -> Denial.Cause? {
        switch action {
        case .show(let priority, let exclusive, let replaced):
            guard rights.contains(.show) else { return .right }
            return missing(forPriority: priority)
                ?? (exclusive > self.exclusive ? .exclusive(maximum: self.exclusive) : nil)
                ?? missing(forOwn: replaced == .own)
        case .update(let isOwn, let priority):
            guard rights.contains(.update) else { return .right }
            return missing(forOwn: isOwn) ?? priority.flatMap(missing(forPriority:))
        case .dismiss(let isOwn, let isShown):
            if isShown, rights.contains(.render) { return nil }
            return rights.contains(.dismiss) ? missing(forOwn: isOwn) : .right
        case .clear(let isOwn):
            return rights.contains(.control) ? missing(forOwn: isOwn) : .right
        case .control: return rights.contains(.control) ? missing(forOwn: false) : .right
        case .render: return rights.contains(.render) ? nil : .right
        case .query: return rights.contains(.query) ? nil : .right
        }
    }

    private func missing(forPriority priority: Int32) -> Denial.Cause? {
        maxPriority.flatMap { priority > $0 ? .priority(maximum: $0) : nil }
    }

    private func missing(forOwn isOwn: Bool) -> Denial.Cause? {
        ownPopupsOnly && !isOwn ? .ownPopupsOnly : nil
    }
}

extension Denial.Cause: Comparable {
    /// Returns whether one access lacks more than the other. Of two limits, the wider one lacks less.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.priority(let one), .priority(let other)): one < other
        case (.exclusive(let one), .exclusive(let other)): one < other
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .right: 0
        case .ownPopupsOnly: 1
        case .exclusive: 2
        case .priority: 3
        }
    }
}
