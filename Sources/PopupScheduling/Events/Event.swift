/// Something that happened to a popup.
public struct Event: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// Accepted, and not shown at once.
        case queued
        /// Active now; `attempt` is 1 for the first time.
        case shown(attempt: UInt32)
        /// Gave way, and will be active again.
        case paused
        /// Active again.
        case resumed
        /// Changed in place.
        case updated
        /// Over. `displayed` is how long it was active in ms, pauses not counted.
        case closed(CloseReason, action: TextRange, displayed: Milliseconds)
        /// Not accepted.
        case refused(Refusal)
    }

    /// When, in ms by the scheduler's clock.
    public var at: Milliseconds
    /// The group's name, in the buffer's text; none for a refusal where no group is known.
    public var group: TextRange
    /// The group's place in the scheduler's table; `nil` for a refusal.
    public var groupIndex: GroupIndex?
    /// The popup's id, in the buffer's text.
    public var popup: TextRange
    /// The group's revision after the step that it belongs to; 0 for a refusal.
    public var revision: UInt64
    /// What happened.
    public var kind: Kind
}

/// Why a popup is over.
public enum CloseReason: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// By a renderer or console, with the action.
    case dismissed
    /// By `advance`.
    case advanced
    /// Its display time ended.
    case timedOut
    /// Not first shown within its `timeToLive`.
    case expired
    /// A newcomer stopped it.
    case preempted
    /// The policy is `never`.
    case refused
    /// An exclusive popup closed it.
    case superseded
    /// A newcomer with its collapse key took its place.
    case replaced
    /// By `clear`.
    case cleared
    /// Dropped from a full line.
    case overflow
}
