/// An event of a popup.
public struct Event: Sendable {
    /// The kind of event.
    public enum Kind: Sendable {
        /// The popup was accepted and is not shown at once.
        case queued
        /// The popup takes the slot. It is shown when a renderer accepts it.
        case offered
        /// The popup is active. `attempt` is 1 for the first time.
        case shown(attempt: UInt32)
        /// The popup was interrupted, and will be active again.
        case paused
        /// The popup is active again after a pause.
        case resumed
        /// The popup was changed in place.
        case updated
        /// The popup closed. `displayed` is the time in ms during which it was active, without pauses.
        case closed(CloseReason, action: TextRange, displayed: Milliseconds)
        /// The command was refused.
        case refused(Refusal)
    }

    /// The time in ms by the wall clock.
    public var at: Milliseconds
    /// The name of the group, in the buffer's text. None for a refusal if the group is unknown.
    public var group: TextRange
    /// The index of the group in the scheduler's table; `nil` for a refusal.
    public var groupIndex: GroupIndex?
    /// The id of the popup, in the buffer's text.
    public var popup: TextRange
    /// The revision of the group after the event's step; 0 for a refusal.
    public var revision: UInt64
    /// The kind of event.
    public var kind: Kind
    /// The values from the root to the current page of the group's tree, as indices of the buffer's `pathValues`. Empty
    /// if its policy names no tree.
    public var path: Range<Int> { Int(pathStart)..<Int(pathStart) + Int(pathCount) }
    var pathStart: UInt32 = 0
    var pathCount: UInt32 = 0
}

/// The reason for which a popup closed.
public enum CloseReason: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// A renderer or an administrator dismissed it, with an action.
    case dismissed
    /// `advance` closed it.
    case advanced
    /// Its display time ended.
    case timedOut
    /// It was not shown within its `timeToLive`.
    case expired
    /// A newcomer interrupted it under the policy `stop`.
    case preempted
    /// The policy `never` rejected it on arrival.
    case rejected
    /// An exclusive popup closed it.
    case superseded
    /// A newcomer with the same collapse key replaced it.
    case replaced
    /// `clear` closed it.
    case cleared
    /// It was removed from a full queue.
    case evicted
    /// A renderer vetoed it.
    case vetoed
    /// No renderer answered its offer, and the policy closes it in that case.
    case unanswered
    /// The requirement of its flow cannot be met any more.
    case unmet
    /// No renderer displayed it in time.
    case undisplayed
    /// The last renderer that displayed it left.
    case rendererLost
    /// The last page to which it was bound closed.
    case pageClosed
    /// The session to which it belonged ended.
    case sessionEnded
}
