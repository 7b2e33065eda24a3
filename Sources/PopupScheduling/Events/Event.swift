/// Something that happened to a popup.
public struct Event: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// Accepted, and not shown at once.
        case queued
        /// Holds the slot, and is shown when a renderer accepts it.
        case offered
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

    /// When, in ms by the wall clock.
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
    /// The values from the root to the current page of the group's tree, as indices of the buffer's `pathValues`; empty
    /// when its policy names no tree.
    public var path: Range<Int> { Int(pathStart)..<Int(pathStart) + Int(pathCount) }
    var pathStart: UInt32 = 0
    var pathCount: UInt32 = 0
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
    case rejected
    /// An exclusive popup closed it.
    case superseded
    /// A newcomer with its collapse key took its place.
    case replaced
    /// By `clear`.
    case cleared
    /// Dropped from a full queue.
    case evicted
    /// A renderer would not have it.
    case vetoed
    /// No renderer answered the offer, and the policy closes it then.
    case unanswered
    /// What it requires of its flow did not happen.
    case unmet
    /// No renderer displayed it in time.
    case undisplayed
    /// The last renderer that displayed it is gone.
    case rendererLost
    /// The last page to which it was bound closed.
    case pageClosed
    /// The session to which it belonged ended.
    case sessionEnded
}
