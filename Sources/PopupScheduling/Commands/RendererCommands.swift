/// A report of a renderer about the active popup of a group.
public struct Report: Sendable {
    /// The content of a report.
    public enum Kind: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        /// The renderer displays the popup.
        case displayed
        /// The popup is visible to the user, and therefore also displayed.
        case visible
        /// The popup is currently not visible to the user.
        case hidden
    }

    /// The id of the popup.
    public var id: TextRange
    /// The name of the renderer; not empty.
    public var client: TextRange
    /// The content of the report.
    public var kind: Kind
    /// The expected group: the report is refused if the popup is in another one. None for any group.
    public var group: TextRange

    /// Creates a report.
    public init(id: TextRange, client: TextRange, _ kind: Kind, group: TextRange = .none) {
        self.id = id
        self.client = client
        self.group = group
        self.kind = kind
    }
}

/// A renderer's answer to the offer of a popup.
public struct Answer: Sendable {
    /// The choice of a renderer.
    public enum Choice: Sendable, Equatable {
        /// Show the popup now.
        case accept
        /// Close the popup.
        case veto
        /// Offer the popup again after `retry` ms; `nil` for the policy's `retry`.
        case later(retry: UInt32?)
    }

    /// The id of the popup.
    public var id: TextRange
    /// The name of the renderer.
    public var client: TextRange
    /// The choice of the renderer.
    public var choice: Choice
    /// The expected group: the answer is refused if the popup is in another one. None for any group.
    public var group: TextRange

    /// Creates an answer.
    public init(id: TextRange, client: TextRange, _ choice: Choice, group: TextRange = .none) {
        self.id = id
        self.client = client
        self.group = group
        self.choice = choice
    }
}

/// A renderer's declaration that it is live, with the groups that it shows.
public struct Lease: Sendable {
    /// The name of the renderer; not empty.
    public var client: TextRange
    /// The names or patterns of its groups, each followed by a line feed. If there are none, the renderer leaves at
    /// once.
    public var patterns: TextRange
    /// Whether the lease ends by itself after `Scheduler.leaseDuration`. Otherwise it lasts until the renderer leaves:
    /// the caller, which receives the renderers' leases, ends it by a command.
    public var runsOut: Bool

    /// Creates a lease.
    public init(client: TextRange, patterns: TextRange, runsOut: Bool = true) {
        self.client = client
        self.patterns = patterns
        self.runsOut = runsOut
    }
}
