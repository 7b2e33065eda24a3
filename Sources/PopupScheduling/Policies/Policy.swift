/// The policy of a group: which popup gives way to which, and how long a popup is displayed.
///
/// The vocabulary is that of `excl` and `priorityClass` in SMIL 3.0 (W3C Recommendation), with `defer` and `never` also
/// allowed for `higher`.
public struct Policy: Sendable, Equatable {
    /// The outcome when a newcomer meets the active popup.
    public enum Interruption: UInt8, Sendable, CaseIterable {
        /// The active popup closes and the newcomer is shown.
        case stop
        /// The active popup is paused and the newcomer is shown.
        case pause
        /// The newcomer waits.
        case `defer`
        /// The newcomer closes at once.
        case never
    }

    /// The display time of a resumed popup.
    public enum Resumption: UInt8, Sendable, CaseIterable {
        /// The remaining time.
        case remaining
        /// The whole time.
        case restart
    }

    /// The outcome when a popup has to wait and the maximum number already does.
    public enum Overflow: UInt8, Sendable, CaseIterable {
        /// The newcomer is refused and its id is not remembered.
        case rejectNew
        /// The last popup of the queue closes.
        case dropLowest
        /// The waiting popup that was accepted first closes.
        case dropOldest
    }

    /// The condition under which the display time elapses.
    public enum DisplayClock: UInt8, Sendable, CaseIterable {
        /// While the popup is active.
        case display
        /// While the popup is active and a renderer reports it visible.
        case visible
    }

    /// The outcome of an offer that no renderer answers.
    public enum OfferDefault: UInt8, Sendable, CaseIterable {
        /// The popup is shown.
        case show
        /// The popup closes.
        case close
    }

    /// The outcome for an active popup that no renderer displays in time.
    public enum Undisplayed: UInt8, Sendable, CaseIterable {
        /// The popup stays active.
        case hold
        /// The popup moves behind all others of its priority.
        case skip
        /// The popup closes.
        case close
    }

    /// The outcome for an active popup when the last renderer that displayed it leaves.
    public enum RendererLost: UInt8, Sendable, CaseIterable {
        /// The popup stays active.
        case hold
        /// The popup returns to the queue.
        case requeue
        /// The popup closes.
        case close
    }

    /// The outcome for a newcomer of higher priority.
    public var higher: Interruption = .pause
    /// The outcome for a newcomer of the same priority.
    public var peers: Interruption = .defer
    /// The outcome for a newcomer of lower priority.
    public var lower: Interruption = .defer
    /// Whether every priority counts as 0, except in suspensions, quiet windows and selectors.
    public var ignorePriority = false
    /// The display time of a resumed popup.
    public var resumption: Resumption = .remaining
    /// The range in ms from which the pause after a closed popup is drawn.
    public var gap: ClosedRange<UInt32> = 0...0
    /// The display time in ms of popups that specify none; 0 for no end until they are dismissed.
    public var defaultDuration: UInt32 = 0
    /// The longest display time in ms; 0 for no limit.
    public var maxDuration: UInt32 = 0
    /// The maximum number of waiting popups; `nil` for `Limits.waitingPerGroup`, which always applies.
    public var maxWaiting: UInt32?
    /// The outcome beyond `maxWaiting`.
    public var overflow: Overflow = .rejectNew
    /// The time in ms for which the first member of a flow waits for the others before it competes for the slot.
    public var gather: UInt32 = 0
    /// The condition under which the display time elapses.
    public var clock: DisplayClock = .display
    /// The time in ms for which popups that specify none are offered before they are shown; 0 for no offer.
    public var offer: UInt32 = 0
    /// The outcome of an offer that no renderer answers.
    public var offerDefault: OfferDefault = .show
    /// The time in ms for which a popup is not eligible after a renderer answered "later" without a time.
    public var retry: UInt32 = 5000
    /// The time in ms within which a renderer has to display an active popup; 0 for no limit.
    public var displayTimeout: UInt32 = 0
    /// The outcome after `displayTimeout`.
    public var undisplayed: Undisplayed = .hold
    /// The outcome when the last renderer that displayed the active popup leaves.
    public var rendererLost: RendererLost = .hold
    /// The maximum number of times that a popup is shown if it returns to the queue; 1 to `Limits.maxAttempts`.
    public var maxAttempts: UInt32 = 3
    /// The number of dismissals by renderers that close a popup which specifies none; at least 1.
    public var quorum: UInt32 = 1
    /// Whether popups that specify no number need the dismissals of all live renderers of their group.
    public var quorumAll = false
    /// The time in ms after which the priority of a waiting popup rises by one, again and again; 0 for never.
    public var aging: UInt32 = 0
    /// The limits on how often popups are shown.
    public var caps: [Cap] = []
    /// The daily windows in which popups are held back.
    public var quiet: [QuietWindow] = []
    /// The name of the tree whose current path the events of the group carry; empty for none.
    public var pageTree: [UInt8] = []

    /// Creates the preset `priority`.
    public init() {}
}

extension Policy {
    /// A higher priority interrupts; equal priorities are shown one after the other.
    public static let priority = Policy()

    /// First in, first out.
    public static let fifo = Policy(.defer, .defer, .defer, ignorePriority: true)

    /// The newest popup is shown; the one that it interrupted is resumed after it.
    public static let lifo = Policy(.pause, .pause, .pause, ignorePriority: true)

    /// The priority orders the queue only; the active popup is never interrupted.
    public static let polite = Policy(.defer, .defer, .defer)

    /// A newcomer of at least the same priority interrupts; the display time of the interrupted popup starts over when
    /// it is resumed.
    public static let stacked = Policy(.pause, .pause, .defer, resumption: .restart)

    private init(
        _ higher: Interruption, _ peers: Interruption, _ lower: Interruption, ignorePriority: Bool = false,
        resumption: Resumption = .remaining
    ) {
        self.higher = higher
        self.peers = peers
        self.lower = lower
        self.ignorePriority = ignorePriority
        self.resumption = resumption
    }
}
