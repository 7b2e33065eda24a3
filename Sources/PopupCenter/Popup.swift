extension PopupCenter {
    /// A decision about a popup before it is accepted; called on the center, so it must return at once.
    public typealias Gate = @Sendable (Popup) -> PopupGateDecision

    /// A request to show something.
    public struct Popup: Sendable {
        /// The id. `nil`: the center makes one, `popup-1`, `popup-2`, …
        public var id: String?
        /// The group that shows it: any text but an empty one, without `*`. `shop/cart` is below `shop`.
        public var group: String
        /// The content to show; the center hands it back as it is.
        public var content: Content
        /// Higher is more urgent.
        public var priority: Int32
        /// The display time; `nil`: the policy's, or until it is dismissed.
        public var duration: Duration?
        /// Closes as `expired` when it was not first shown within it; `nil`: waits for ever.
        public var timeToLive: Duration?
        /// The time until it arrives; `nil`: none.
        public var delay: Duration?
        /// The time for which neither a newcomer nor `advance` takes its place; `nil`: none.
        public var minimumDisplay: Duration?
        /// The popups that it closes when it arrives.
        public var exclusive = PopupRequest.Exclusivity.none
        /// It takes the place of the live popup of its group with the same key; `nil`: of none.
        public var collapseKey: String?
        /// Whether a newcomer may interrupt it.
        public var interruptible = true
        /// The sequence of related popups to which it belongs.
        public var flow: PopupFlow?
        /// The page to which it is bound.
        public var page: PopupPage?
        /// It is shown only while its group has this session; `nil`: in any.
        public var session: String?
        /// The time for which it is offered before it is shown; `nil`: the policy's.
        public var offer: Duration?
        /// It is counted by the caps of the policy with this key; `nil`: only by those without one.
        public var capKey: String?

        /// Creates a request; what is not among the arguments is a property.
        public init(
            _ content: Content, id: String? = nil, group: String = "main", priority: Int32 = 0,
            duration: Duration? = nil, timeToLive: Duration? = nil, delay: Duration? = nil,
            minimumDisplay: Duration? = nil, collapseKey: String? = nil, flow: PopupFlow? = nil, page: PopupPage? = nil
        ) {
            self.id = id
            self.group = group
            self.content = content
            self.priority = priority
            self.duration = duration
            self.timeToLive = timeToLive
            self.delay = delay
            self.minimumDisplay = minimumDisplay
            self.collapseKey = collapseKey
            self.flow = flow
            self.page = page
        }
    }
}

/// The decision of a gate.
public enum PopupGateDecision: Sendable, Equatable {
    /// The popup is accepted, if the other gates admit it too.
    case admit
    /// The popup is refused as `permissionDenied`, with this reason.
    case deny(String)
}

/// The part of a popup in a flow: its members are shown in the order of their stages, with no other popup in between.
public struct PopupFlow: Sendable, Equatable {
    /// The key of the flow within its group.
    public var key: String
    /// Lower stages are shown first.
    public var stage: UInt32
    /// The id of the member that has to close first; `nil`: none.
    public var requires: String?
    /// The action with which that member has to be dismissed; `nil`: it may close in any way.
    public var requiredAction: String?
    /// The time for which the flow keeps its place after this member, for members that have not arrived; `nil`: none.
    public var hold: Duration?

    /// Creates a part.
    public init(
        _ key: String, stage: UInt32 = 0, requires: String? = nil, action: String? = nil, hold: Duration? = nil
    ) {
        self.key = key
        self.stage = stage
        self.requires = requires
        requiredAction = action
        self.hold = hold
    }
}

/// The page to which a popup is bound: it is shown only there, and closes with the last page of this value.
public struct PopupPage: Sendable, Equatable {
    /// The tree of the page.
    public var tree: String
    /// The value of the page.
    public var value: String
    /// Whether the page has to be the current one, or anywhere on the path to it.
    public var scope: PageBinding.Scope

    /// Creates a binding.
    public init(_ value: String, in tree: String, scope: PageBinding.Scope = .current) {
        self.tree = tree
        self.value = value
        self.scope = scope
    }
}
