/// What the scheduler is told to do. All texts are ranges of the bytes that are handed in with the command.
public enum Command: Sendable {
    /// Put a popup before a person.
    case show(PopupRequest)
    /// Change a live popup in place.
    case update(PopupUpdate)
    /// The person is done with a popup.
    case dismiss(Dismissal)
    /// Close whichever popup the group shows.
    case advance(group: TextRange)
    /// Close what is selected.
    case clear(Selector)
    /// Hold back popups until the token is released.
    case suspend(Suspension)
    /// Release a suspension token.
    case resume(token: TextRange)
    /// Replace the policy of a group or pattern.
    case setPolicy(pattern: TextRange, Policy)
    /// Take back the policy of a group or pattern: the next one in order holds. Not on the wire: for a configuration
    /// that is read again without it.
    case removePolicy(pattern: TextRange)
}

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

    /// A request with all else at its default.
    public init(id: TextRange, group: TextRange) {
        self.id = id
        self.group = group
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

/// Changes to a live popup; what is `nil` stays.
public struct PopupUpdate: Sendable {
    /// The popup.
    public var id: TextRange
    /// Puts it elsewhere in the line, and preemption is judged again.
    public var priority: Int32?
    /// Display time in ms; 0: the policy's default.
    public var duration: UInt32?
    /// The display time starts over.
    public var restartTimer = false
    /// Whether a newcomer may stop or pause it.
    public var interruptible: Bool?
    /// The whole new content.
    public var content: TextRange?

    /// An update that changes nothing yet.
    public init(id: TextRange) {
        self.id = id
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

    /// A dismissal by `action` of whatever revision.
    public init(id: TextRange, action: TextRange, revision: UInt64? = nil) {
        self.id = id
        self.action = action
        self.revision = revision
    }
}

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
