public import PopupProtocol

/// One entry of a role: rights in some groups, and how far they go.
public struct Grant: Hashable, Sendable {
    /// The reach that a popup's `exclusive` may have.
    public enum ExclusiveReach: String, CaseIterable, Comparable, Sendable {
        /// No other popup.
        case none = "NONE"
        /// The popups of its group.
        case group = "GROUP"
        /// The popups of every group.
        case all = "ALL"

        /// Returns whether one reach is nearer than the other.
        public static func < (left: ExclusiveReach, right: ExclusiveReach) -> Bool {
            allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
        }
    }

    /// The groups.
    public var groups: [GroupPattern]
    /// The rights in these groups.
    public var rights: Rights
    /// The highest priority that `show` and `update` may give; `nil`: any.
    public var maxPriority: Int32?
    /// The reach that the `exclusive` of a popup may have.
    public var exclusive: ExclusiveReach
    /// Whether `update`, `dismiss`, `clear` and the collapse keys of `show` are limited to popups that the user has shown.
    public var ownPopupsOnly: Bool

    /// Creates a grant. Without limits it gives every priority, and the popups of others as well, but no `exclusive`.
    public init(
        groups: [GroupPattern], rights: Rights, maxPriority: Int32? = nil,
        exclusive: ExclusiveReach = .none, ownPopupsOnly: Bool = false
    ) {
        self.groups = groups
        self.rights = rights
        self.maxPriority = maxPriority
        self.exclusive = exclusive
        self.ownPopupsOnly = ownPopupsOnly
    }

    /// The grant of every right in every group, which a broker without users gives to every client.
    public static let everything = Grant(groups: [.every], rights: .all, exclusive: .all)

    /// The mistake in the grant, as a sentence without its subject; `nil` if there is none.
    public var mistake: String? {
        if groups.isEmpty { return "names no groups; list at least one pattern, such as \"lobby\" or \"*\"" }
        if rights.isEmpty { return "gives no rights; list at least one of \(Rights.all.names) or all" }
        if exclusive == .all, !groups.contains(where: { $0.form == .every }) {
            return "gives exclusive ALL, which reaches every group; it must name the group pattern \"*\""
        }
        if maxPriority != nil || exclusive != .none, rights.isDisjoint(with: [Rights(.show), Rights(.update)]) {
            return "limits what can be shown, but gives neither show nor update"
        }
        if ownPopupsOnly, rights.isDisjoint(with: [Rights(.show), Rights(.update), Rights(.dismiss), Rights(.control)])
        {
            return "is limited to the user's own popups, but gives none of show, update, dismiss, control"
        }
        return nil
    }

    /// Whether one of its patterns chooses all that this one chooses.
    public func covers(_ pattern: GroupPattern) -> Bool {
        groups.contains { $0.contains(pattern) }
    }
}
