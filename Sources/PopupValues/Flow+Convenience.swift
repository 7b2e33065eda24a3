extension PopupFlow {
    /// Creates the membership of a popup in a flow.
    ///
    /// - Parameters:
    ///   - key: The name of the flow within its group.
    ///   - stage: The place in the flow; lower stages first.
    ///   - requires: The member that must close first, and how.
    ///   - hold: The time for which the flow keeps the slot after this popup has closed, for members that come later.
    public init(_ key: String, stage: UInt32 = 0, requires: PopupRequirement? = nil, hold: Duration = .zero) {
        self.init()
        self.key = key
        self.stage = stage
        self.requires = requires
        holdMs = hold.wireMilliseconds
    }
}

extension PopupRequirement {
    /// Creates the requirement that another member closes first.
    ///
    /// - Parameters:
    ///   - popup: Its id.
    ///   - action: The action by which it must be dismissed; `nil`: it may close in any way.
    public init(_ popup: String, action: String? = nil) {
        self.init()
        self.popup = popup
        self.action = action ?? ""
    }
}
