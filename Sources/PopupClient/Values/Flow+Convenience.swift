public import PopupProtocol

extension WireFlow {
    /// A popup's part in a business of several.
    ///
    /// - Parameters:
    ///   - key: names the business within its group.
    ///   - stage: members go by it, low first.
    ///   - requires: the member that must have closed first, and how.
    ///   - hold: after this one closes, the flow keeps the screen so long for members that have not arrived yet.
    public init(_ key: String, stage: UInt32 = 0, requires: PopupRequirement? = nil, hold: Duration = .zero) {
        self.init()
        self.key = key
        self.stage = stage
        if let requires { self.requires = requires }
        holdMs = hold.wireMilliseconds
    }
}

extension WireRequirement {
    /// Another member must have closed first.
    ///
    /// - Parameters:
    ///   - popup: its id.
    ///   - action: the action with which it must have been dismissed; nil: it may have closed in any way.
    public init(_ popup: String, action: String? = nil) {
        self.init()
        self.popup = popup
        self.action = action ?? ""
    }
}
