/// Holds back popups in all groups of a pattern until its token is released.
public struct Suspension: Sendable {
    /// A group's name, a prefix of whole segments followed by `/*`, or `*`.
    public var pattern: TextRange
    /// Names the suspension; the same token again replaces it.
    public var token: TextRange
    /// Popups below it are held back; `nil`: all are.
    public var minimumPriority: Int32?

    /// A suspension.
    public init(pattern: TextRange, token: TextRange, minimumPriority: Int32? = nil) {
        self.pattern = pattern
        self.token = token
        self.minimumPriority = minimumPriority
    }
}

/// Which live popups: each given member narrows the choice.
public struct Selector: Sendable {
    /// A group's name or a pattern; none: every group.
    public var pattern: TextRange = .none
    /// Those of this surface.
    public var surface: TextRange = .none
    /// Those with this key.
    public var collapseKey: TextRange = .none
    /// Those of this producer.
    public var producer: ProducerID?
    /// Those strictly below this priority.
    public var priorityBelow: Int32?
    /// Those strictly above this priority.
    public var priorityAbove: Int32?
    /// The active ones. With none of `active`, `waiting` and `paused` set, all three are meant.
    public var active = false
    /// Those waiting, delayed ones included.
    public var waiting = false
    /// The paused ones.
    public var paused = false

    /// Every live popup.
    public init() {}
}
