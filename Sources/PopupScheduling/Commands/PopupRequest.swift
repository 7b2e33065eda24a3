/// A request to show a popup.
///
/// Its properties have no initial values, not even the `nil` of `?`: the initializer sets them, and is inlined in other
/// modules, since each `show` makes a request.
public struct PopupRequest: Sendable {
    /// The popups that an exclusive popup closes when it arrives.
    public enum Exclusivity: UInt8, Sendable, BitwiseCopyable {
        /// No popup.
        case none
        /// All other popups of its group.
        case group
        /// All other popups of all groups.
        case all
    }

    /// The permanent identifier of the popup; not empty.
    public var id: TextRange
    /// The group that shows it; not empty.
    public var group: TextRange
    /// The priority. A higher number is more urgent.
    public var priority: Int32
    /// The display time in ms; 0 for the policy's default.
    public var duration: UInt32
    /// The time in ms after which the popup expires if it was never shown; 0 for no limit.
    public var timeToLive: UInt32
    /// The time in ms after which the popup arrives.
    public var delay: UInt32
    /// The time in ms for which neither a newcomer nor `advance` takes the slot from the popup.
    public var minimumDisplay: UInt32
    /// The popups that it closes on arrival.
    public var exclusive: Exclusivity
    /// The collapse key. The popup replaces the live popup of its group with the same key.
    public var collapseKey: TextRange
    /// The surface on which it is shown, for selectors.
    public var surface: TextRange
    /// Whether a newcomer may stop or pause it.
    public var interruptible: Bool
    /// The producer that requested it, for selectors and shares.
    public var producer: Optional<ProducerID>
    /// The content. The scheduler stores it and returns it unchanged; it never reads it.
    public var content: TextRange
    /// Its part in a flow.
    public var flow: Optional<FlowMembership>
    /// The page on which it may be shown.
    public var page: Optional<PageBinding>
    /// The session in which it may be shown: it is not eligible while its group has another one. None for any session.
    public var session: TextRange
    /// The time in ms for which it is offered to the renderers before it is shown; 0 for the policy's.
    public var offer: UInt32
    /// The number of renderers that have to dismiss it; 0 for the policy's.
    public var quorum: UInt32
    /// Whether all live renderers of its group have to dismiss it.
    public var quorumAll: Bool
    /// The cap key. The policy's caps with this key and those without a key count the popup.
    public var capKey: TextRange

    /// Creates a request with the defaults for everything else.
    @inlinable @inline(__always)
    public init(id: TextRange, group: TextRange) {
        self.id = id
        self.group = group
        priority = 0
        duration = 0
        timeToLive = 0
        delay = 0
        minimumDisplay = 0
        exclusive = .none
        collapseKey = .none
        surface = .none
        interruptible = true
        content = .none
        session = .none
        offer = 0
        quorum = 0
        quorumAll = false
        capKey = .none
        producer = nil
        flow = nil
        page = nil
    }
}

/// The part of a popup in a flow: the popups of one group with one flow key.
public struct FlowMembership: Sendable {
    /// The key that identifies the flow within its group; not empty.
    public var key: TextRange
    /// The stage. Members are shown in ascending order of stage.
    public var stage: UInt32 = 0
    /// The id of the member that has to close first. None if there is no requirement.
    public var requires: TextRange = .none
    /// The action with which that member has to be dismissed. None for any close, except one with the reason `unmet`.
    public var requiredAction: TextRange = .none
    /// The time in ms for which the flow keeps the slot after this member closes, for members that have not arrived
    /// yet.
    public var hold: UInt32 = 0

    /// Creates a membership with the defaults for everything else.
    public init(key: TextRange) {
        self.key = key
    }
}

/// A binding of a popup to a page of a tree.
public struct PageBinding: Sendable {
    /// The position of the page that makes the popup eligible.
    public enum Scope: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        /// The page is the current one.
        case current
        /// The page is on the path from the root to the current page.
        case within
    }

    /// The name of the tree; not empty.
    public var tree: TextRange
    /// The value of the page; not empty.
    public var value: TextRange
    /// The position that the page needs to have.
    public var scope: Scope

    /// Creates a binding.
    public init(tree: TextRange, value: TextRange, scope: Scope) {
        self.tree = tree
        self.value = value
        self.scope = scope
    }
}

/// The 16 bytes that identify one run of a producer.
public struct ProducerID: Sendable, Hashable, BitwiseCopyable {
    /// The first eight bytes, in big-endian order.
    public var high: UInt64
    /// The last eight bytes, in big-endian order.
    public var low: UInt64

    /// Creates an id from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
