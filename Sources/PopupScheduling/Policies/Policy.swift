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
        /// The last of the line closes.
        case dropLowest
        /// The earliest accepted waiting popup closes.
        case dropOldest
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

    /// Priority only orders the line; the active popup is never disturbed.
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
