/// The rules of a group: what happens when popups meet, and how long they stay.
///
/// The vocabulary is SMIL 3.0's `excl` and `priorityClass` (W3C Recommendation), with `defer` and `never` for `higher`.
public struct Policy: Sendable, Equatable {
    /// What happens when a newcomer meets the active popup.
    public enum Interruption: UInt8, Sendable, CaseIterable {
        /// The active popup closes, the newcomer is shown.
        case stop
        /// The active popup is paused, the newcomer is shown.
        case pause
        /// The newcomer waits.
        case `defer`
        /// The newcomer closes at once.
        case never
    }

    /// The display time that a resumed popup has.
    public enum Resumption: UInt8, Sendable, CaseIterable {
        /// What it had left.
        case remaining
        /// All of it.
        case restart
    }

    /// What gives way when as many popups wait as may.
    public enum Overflow: UInt8, Sendable, CaseIterable {
        /// The newcomer is refused, its id not remembered.
        case rejectNew
        /// The last of the queue closes.
        case dropLowest
        /// The earliest accepted waiting popup closes.
        case dropOldest
    }

    /// What moves the display time on.
    public enum DisplayClock: UInt8, Sendable, CaseIterable {
        /// Being active.
        case display
        /// Being active while a renderer says that it is visible.
        case visible
    }

    /// What becomes of an offer that nobody answers.
    public enum OfferDefault: UInt8, Sendable, CaseIterable {
        /// It is shown.
        case show
        /// It closes.
        case close
    }

    /// What becomes of an active popup that nobody displays in time.
    public enum Undisplayed: UInt8, Sendable, CaseIterable {
        /// It stays.
        case hold
        /// It goes to the end of its priority.
        case skip
        /// It closes.
        case close
    }

    /// What becomes of an active popup when the last renderer that displayed it is gone.
    public enum RendererLost: UInt8, Sendable, CaseIterable {
        /// It stays.
        case hold
        /// It goes back into the queue.
        case requeue
        /// It closes.
        case close
    }

    /// Against a newcomer of higher priority.
    public var higher: Interruption = .pause
    /// Against a newcomer of the same priority.
    public var peers: Interruption = .defer
    /// Against a newcomer of lower priority.
    public var lower: Interruption = .defer
    /// Reads every priority as 0, save in suspensions and selectors.
    public var ignorePriority = false
    /// The display time of a resumed popup.
    public var resumption: Resumption = .remaining
    /// In ms: the pause after a popup closes is drawn from this range.
    public var gap: ClosedRange<UInt32> = 0...0
    /// In ms, for popups that name none; 0: until dismissed.
    public var defaultDuration: UInt32 = 0
    /// In ms: no popup is displayed longer; 0: no limit.
    public var maximumDuration: UInt32 = 0
    /// How many popups may wait; `nil`: as many as `Limits.waitingPerGroup`, which bounds it anyhow.
    public var maximumWaiting: UInt32?
    /// What gives way beyond that.
    public var overflow: Overflow = .rejectNew
    /// In ms: the first member of a flow waits so long for the others before it competes.
    public var gather: UInt32 = 0
    /// What moves the display time on.
    public var clock: DisplayClock = .display
    /// In ms: popups that name no time themselves are offered so long before they are shown; 0: they are not.
    public var offer: UInt32 = 0
    /// What becomes of an offer that nobody answers.
    public var offerDefault: OfferDefault = .show
    /// In ms: a popup for which a renderer asked to be offered it later is not eligible for so long.
    public var retry: UInt32 = 5000
    /// In ms: an active popup has to be displayed by a renderer so soon; 0: whenever.
    public var displayTimeout: UInt32 = 0
    /// What becomes of one that is not.
    public var undisplayed: Undisplayed = .hold
    /// What becomes of one whose renderers are gone.
    public var rendererLost: RendererLost = .hold
    /// How often a popup is shown at most when it goes back into the queue; at least 1, at most `Limits.mostAttempts`.
    public var maximumAttempts: UInt32 = 3
    /// How many renderers' dismissals close a popup that names no number itself; at least 1.
    public var quorum: UInt32 = 1
    /// Whether popups that name no number themselves need the dismissals of all live renderers of their group.
    public var quorumAll = false
    /// In ms: a waiting popup's priority rises by one each time so much has passed; 0: never.
    public var aging: UInt32 = 0
    /// How often popups may be shown.
    public var caps: [Cap] = []
    /// When popups are held back each day.
    public var quiet: [QuietWindow] = []
    /// The tree of pages whose path the group's events carry; empty: none.
    public var pageTree: [UInt8] = []

    /// The preset `priority`: urgent ones interrupt, equals come in turn.
    public init() {}
}

extension Policy {
    /// Urgent ones interrupt, equals come in turn.
    public static let priority = Policy()

    /// First in, first out.
    public static let fifo = Policy(.defer, .defer, .defer, ignorePriority: true)

    /// The newest on top; the one below comes back.
    public static let lifo = Policy(.pause, .pause, .pause, ignorePriority: true)

    /// Priority only orders the queue; the active popup is never disturbed.
    public static let polite = Policy(.defer, .defer, .defer)

    /// Whoever arrives with the highest priority goes on top; the timer starts over when uncovered.
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
