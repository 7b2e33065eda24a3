/// A suspension: it holds back popups in all groups of a pattern until its token is released.
public struct Suspension: Sendable {
    /// The name of a group, a prefix of whole segments followed by `/*`, or `*`.
    public var pattern: TextRange
    /// The token that identifies the suspension. Another suspension with the same token replaces it.
    public var token: TextRange
    /// The lowest priority that is not held back; `nil` if all popups are.
    public var minimumPriority: Int32?
    /// The user that sets it. None: nobody is named.
    public var user: TextRange

    /// Creates a suspension.
    public init(pattern: TextRange, token: TextRange, minimumPriority: Int32? = nil, user: TextRange = .none) {
        self.pattern = pattern
        self.token = token
        self.minimumPriority = minimumPriority
        self.user = user
    }
}

/// A selection of live popups. Each field that is set narrows it.
public struct Selector: Sendable {
    /// The name of a group or a pattern. None for all groups.
    public var pattern: TextRange = .none
    /// The surface of the selected popups.
    public var surface: TextRange = .none
    /// The collapse key of the selected popups.
    public var collapseKey: TextRange = .none
    /// The producer of the selected popups.
    public var producer: ProducerID?
    /// The priority that the selected popups are strictly below.
    public var priorityBelow: Int32?
    /// The priority that the selected popups are strictly above.
    public var priorityAbove: Int32?
    /// Whether active popups are selected. If `active`, `waiting` and `paused` are all `false`, all popups are.
    public var active = false
    /// Whether waiting popups are selected, delayed ones included.
    public var waiting = false
    /// Whether paused popups are selected.
    public var paused = false

    /// Creates a selector of all live popups.
    public init() {}
}
