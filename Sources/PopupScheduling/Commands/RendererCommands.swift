/// What a renderer did with the popup that its group shows.
public struct Report: Sendable {
    /// What it did.
    public enum Kind: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        /// Put it on screen.
        case displayed
        /// The person can see it; it is displayed, too.
        case visible
        /// The person can't see it for now.
        case hidden
    }

    /// The popup.
    public var id: TextRange
    /// The renderer; must not be empty.
    public var client: TextRange
    /// What it did.
    public var kind: Kind
    /// The group in which the popup is believed to be: refused when it is in another one; none: in any.
    public var group: TextRange

    /// A report.
    public init(id: TextRange, client: TextRange, _ kind: Kind, group: TextRange = .none) {
        self.id = id
        self.client = client
        self.group = group
        self.kind = kind
    }
}

/// A renderer's answer to the offer of a popup.
public struct Answer: Sendable {
    /// What it answers.
    public enum Choice: Sendable, Equatable {
        /// Show it.
        case accept
        /// Close it.
        case veto
        /// Not before so many ms; `nil`: the policy's `retry`.
        case later(retry: UInt32?)
    }

    /// The popup.
    public var id: TextRange
    /// The renderer.
    public var client: TextRange
    /// What it answers.
    public var choice: Choice
    /// The group in which the popup is believed to be: refused when it is in another one; none: in any.
    public var group: TextRange

    /// An answer.
    public init(id: TextRange, client: TextRange, _ choice: Choice, group: TextRange = .none) {
        self.id = id
        self.client = client
        self.group = group
        self.choice = choice
    }
}

/// A renderer says that it lives, and which groups it shows.
public struct Lease: Sendable {
    /// The renderer; must not be empty.
    public var client: TextRange
    /// The names or patterns of its groups, each followed by a line feed; none: the renderer leaves at once.
    public var patterns: TextRange
    /// It runs out `Scheduler.leaseDuration` from now. Otherwise it lasts until the renderer leaves: whoever hears the
    /// renderers sees to that.
    public var runsOut: Bool

    /// A lease.
    public init(client: TextRange, patterns: TextRange, runsOut: Bool = true) {
        self.client = client
        self.patterns = patterns
        self.runsOut = runsOut
    }
}
