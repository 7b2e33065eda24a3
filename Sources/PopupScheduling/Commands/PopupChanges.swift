/// Changes to a live popup. A field that is `nil` is not changed.
public struct PopupUpdate: Sendable {
    /// The id of the popup.
    public var id: TextRange
    /// The new priority. It changes the order of the queue and may lead to preemption.
    public var priority: Int32?
    /// The new display time in ms; 0 for the policy's default.
    public var duration: UInt32?
    /// Whether the display time starts over.
    public var restartTimer = false
    /// Whether a newcomer may stop or pause the popup.
    public var interruptible: Bool?
    /// The complete new content.
    public var content: TextRange?
    /// The expected group: the update is refused if the popup is in another one. None for any group.
    public var group: TextRange

    /// Creates an update without changes.
    public init(id: TextRange, group: TextRange = .none) {
        self.id = id
        self.group = group
    }
}

/// A dismissal of a popup by a user or an administrator.
public struct Dismissal: Sendable {
    /// The id of the popup.
    public var id: TextRange
    /// The action that the user chose.
    public var action: TextRange
    /// The revision of the state that the dismissal answers. It is refused as stale if the popup was activated or
    /// updated since.
    public var revision: UInt64?
    /// The renderer on which the popup was dismissed, for the quorum. None for an administrator, whose dismissal closes
    /// the popup without a quorum.
    public var client: TextRange
    /// The expected group: the dismissal is refused if the popup is in another one. None for any group.
    public var group: TextRange

    /// Creates a dismissal. It answers any revision if `revision` is `nil`.
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
