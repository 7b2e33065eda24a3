/// A right of a user in a group.
public enum Right: String, CaseIterable, Sendable {
    /// Ask for popups.
    case show
    /// Change live popups.
    case update
    /// Dismiss live popups.
    case dismiss
    /// Read what groups show.
    case watch
    /// Read what happens to popups, refusals included.
    case events
    /// Be a renderer: hold leases, report, answer offers, dismiss the popup that the group shows.
    case render
    /// Send queries.
    case query
    /// Go next, clear, suspend, resume, set policies, sessions and pages.
    case control
}

/// A set of rights.
public struct Rights: OptionSet, Hashable, Sendable {
    /// A bit a right, in the order of `Right.allCases`.
    public let rawValue: UInt8

    /// Creates the set with these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates the set of one right.
    public init(_ right: Right) {
        rawValue = 1 << UInt8(Right.allCases.firstIndex(of: right) ?? 0)
    }

    /// Creates the set of these rights.
    public init(_ rights: some Sequence<Right>) {
        self = rights.reduce(into: []) { $0.formUnion(Rights($1)) }
    }

    /// Every right.
    public static let all = Rights(Right.allCases)

    /// Whether it has this right.
    public func contains(_ right: Right) -> Bool {
        contains(Rights(right))
    }
}

extension Rights: CustomStringConvertible {
    /// The rights as a role lists them: `show, update`, or `all`.
    public var description: String {
        self == .all ? "all" : names
    }

    /// The rights one by one, also when it has all of them.
    var names: String {
        Right.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ", ")
    }
}
