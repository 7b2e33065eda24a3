public import PopupProtocol

/// A request to do something in some groups.
public struct AccessRequest: Hashable, Sendable {
    /// An action that rights are needed for.
    public enum Action: Hashable, Sendable {
        /// Ask for a popup; `replaces`: what its collapse key may replace.
        case show(priority: Int32, exclusive: Grant.ExclusiveReach, replaces: Replaced = .own)
        /// Change a popup; `priority`: the new one, if it changes.
        case update(isOwn: Bool, priority: Int32?)
        /// Dismiss a popup; `isShown`: it is the one that its group shows.
        case dismiss(isOwn: Bool, isShown: Bool)
        /// Close what a selector chooses; `isOwn`: it chooses by a producer of the user.
        case clear(isOwn: Bool)
        /// Any other command that `control` allows.
        case control
        /// Hold a lease, report, answer an offer.
        case render
        /// Send a query.
        case query
    }

    /// The popups that a popup may replace by its collapse key.
    public enum Replaced: Hashable, Sendable {
        /// No popups except those that the user has shown.
        case own
        /// Popups of others, too.
        case any
    }

    /// The requested action.
    public var action: Action
    /// The groups of the action. `exclusive: ALL` does not widen it.
    public var groups: GroupPattern

    /// Creates a request.
    public init(_ action: Action, in groups: GroupPattern) {
        self.action = action
        self.groups = groups
    }

    /// The right that allows it in the first place.
    public var right: Right {
        switch action {
        case .show: .show
        case .update: .update
        case .dismiss: .dismiss
        case .clear, .control: .control
        case .render: .render
        case .query: .query
        }
    }
}

/// The reason why a request is denied.
public struct Denial: Error, Hashable, Sendable {
    /// The missing right or the limit that the request exceeds.
    public enum Cause: Hashable, Sendable {
        /// The right, in the whole of the groups.
        case right
        /// A higher priority than this one at most.
        case priority(maximum: Int32)
        /// An `exclusive` that reaches farther than this one.
        case exclusive(maximum: Grant.ExclusiveReach)
        /// Popups of others.
        case ownPopupsOnly
    }

    /// The missing right or the limit that the request exceeds.
    public var cause: Cause
    /// The right that the request needs.
    public var right: Right
    /// The groups that the request reaches.
    public var groups: GroupPattern

    /// Creates a denial.
    public init(_ cause: Cause, of right: Right, in groups: GroupPattern) {
        self.cause = cause
        self.right = right
        self.groups = groups
    }
}

extension Denial: CustomStringConvertible {
    /// The reason as part of a sentence about the user.
    public var description: String {
        switch cause {
        case .right:
            "needs the right \(right.rawValue) in \"\(groups)\"; no role of the user gives it there"
        case .priority(let maximum):
            "may \(right.rawValue) in \"\(groups)\" up to the priority \(maximum) only; send a lower one"
        case .exclusive(let maximum):
            "may \(right.rawValue) in \"\(groups)\" with exclusive \(maximum.rawValue) at most"
        case .ownPopupsOnly where right == .show:
            "may replace in \"\(groups)\" only popups that the user itself has shown; send a collapseKey that no popup of "
                + "another user has, without a delay or a flow"
        case .ownPopupsOnly:
            "may \(right.rawValue) in \"\(groups)\" only popups that the user itself has shown"
        }
    }
}
