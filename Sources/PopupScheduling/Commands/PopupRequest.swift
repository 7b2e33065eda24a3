/// A request to put something before a person.
public struct PopupRequest: Sendable {
    /// What an exclusive popup closes when it arrives.
    public enum Exclusivity: UInt8, Sendable, BitwiseCopyable {
        /// Nothing.
        case none
        /// Everything else in its group.
        case group
        /// Everything else in every group.
        case all
    }

    /// Names the popup for ever; must not be empty.
    public var id: TextRange
    /// The group that shows it; must not be empty.
    public var group: TextRange
    /// Higher is more urgent.
    public var priority: Int32 = 0
    /// Display time in ms; 0: the policy's default.
    public var duration: UInt32 = 0
    /// In ms: closes as expired when it was not first shown within it; 0: waits for ever.
    public var timeToLive: UInt32 = 0
    /// In ms: arrives only after it.
    public var delay: UInt32 = 0
    /// In ms: neither a newcomer nor `advance` takes the slot earlier.
    public var minimumDisplay: UInt32 = 0
    /// What it closes on arrival.
    public var exclusive: Exclusivity = .none
    /// Takes the place of the group's live popup with the same key.
    public var collapseKey: TextRange = .none
    /// Where it is shown, for selecting.
    public var surface: TextRange = .none
    /// Whether a newcomer may stop or pause it.
    public var interruptible = true
    /// Who asked, for selecting.
    public var producer: ProducerID?
    /// What to show: kept and handed back as it is, never read.
    public var content: TextRange = .none
    /// The business of several popups that it is part of.
    public var flow: FlowMembership?
    /// Where in the session's screens it may be shown.
    public var page: PageBinding?
    /// Shown only while the group's session has this value; none: in any.
    public var session: TextRange = .none
    /// In ms: offered to the renderers so long before it is shown; 0: the policy's.
    public var offer: UInt32 = 0
    /// How many renderers' dismissals close it; 0: the policy's.
    public var quorum: UInt32 = 0
    /// Whether the dismissals of all live renderers of its group are needed.
    public var quorumAll = false
    /// Counted by the policy's caps with this key, and by those without one.
    public var capKey: TextRange = .none

    /// A request with all else at its default.
    public init(id: TextRange, group: TextRange) {
        self.id = id
        self.group = group
    }
}

/// A popup's part in a business of several: popups of one group with one key are one flow.
public struct FlowMembership: Sendable {
    /// Names the flow within its group; must not be empty.
    public var key: TextRange
    /// Members go by stage, low first.
    public var stage: UInt32 = 0
    /// The id of the member that must have closed first; none: nothing is required.
    public var requires: TextRange = .none
    /// The action with which it must have been dismissed; none: closed in any way but for want of its own requirement.
    public var requiredAction: TextRange = .none
    /// In ms: after this member closes the flow keeps the slot so long for members that have not arrived yet.
    public var hold: UInt32 = 0

    /// A part with all else at its default.
    public init(key: TextRange) {
        self.key = key
    }
}

/// Binds a popup to a page of a tree.
public struct PageBinding: Sendable {
    /// Where the page has to be.
    public enum Scope: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        /// It is the current page.
        case current
        /// It is anywhere on the path to the current page.
        case within
    }

    /// The tree; must not be empty.
    public var tree: TextRange
    /// The value of the page; must not be empty.
    public var value: TextRange
    /// Where the page has to be.
    public var scope: Scope

    /// A binding.
    public init(tree: TextRange, value: TextRange, scope: Scope) {
        self.tree = tree
        self.value = value
        self.scope = scope
    }
}

/// The 16 bytes that name one run of a producer.
public struct ProducerID: Sendable, Hashable, BitwiseCopyable {
    /// The first eight bytes, the first one highest.
    public var high: UInt64
    /// The last eight bytes, the first one highest.
    public var low: UInt64

    /// The id of these two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
