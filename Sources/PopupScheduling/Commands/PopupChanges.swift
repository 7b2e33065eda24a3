/// Changes to a live popup; what is `nil` stays.
public struct PopupUpdate: Sendable {
    /// The popup.
    public var id: TextRange
    /// Puts it elsewhere in the queue, and preemption is judged again.
    public var priority: Int32?
    /// Display time in ms; 0: the policy's default.
    public var duration: UInt32?
    /// The display time starts over.
    public var restartTimer = false
    /// Whether a newcomer may stop or pause it.
    public var interruptible: Bool?
    /// The whole new content.
    public var content: TextRange?
    /// The group in which the popup is believed to be: refused when it is in another one; none: in any.
    public var group: TextRange

    /// An update that changes nothing yet.
    public init(id: TextRange, group: TextRange = .none) {
        self.id = id
        self.group = group
    }
}

/// The end of a popup, as the person (or a console) chose it.
public struct Dismissal: Sendable {
    /// The popup.
    public var id: TextRange
    /// What the person did.
    public var action: TextRange
    /// The revision of the state that it answers: refused as stale when the popup was activated or updated since.
    public var revision: UInt64?
    /// The renderer on which it was dismissed, for the quorum; none: a console, which needs no quorum.
    public var client: TextRange
    /// The group in which the popup is believed to be: refused when it is in another one; none: in any.
    public var group: TextRange

    /// A dismissal by `action` of whatever revision.
    public init(
        id: TextRange, action: TextRange, revision: UInt64? = nil, client: TextRange = .none,
        group: TextRange = .none
    ) {
        self.id = id
        self.action = action
        self.revision = revision
        self.client = client
        self.group = group
    }
}
