/// What a timer does when it falls due.
enum TimerKind: UInt8, BitwiseCopyable, CaseIterable {
    /// The popup's delay is over.
    case arrival
    /// The flow's members have gathered.
    case gathering
    /// The popup was not first shown in time.
    case expiry
    /// No renderer answered the popup's offer.
    case offer
    /// The popup may be offered again.
    case retry
    /// The popup's display time is over.
    case display
    /// The group's active popup is no longer protected.
    case minimumDisplay
    /// No renderer displayed the group's active popup in time.
    case displayTimeout
    /// The flow keeps the group's slot no longer.
    case hold
    /// The group's gap is over.
    case gap
    /// A cap of the group allows one more.
    case cap
    /// A quiet window of the policy may begin or end.
    case quiet
    /// The renderer's lease is over.
    case lease
}

/// A timer that falls due.
struct DueTimer: Equatable {
    var due: Milliseconds
    var kind: TimerKind
    /// The handle that it had.
    var timer: Int32
    /// The popup, group, flow, policy or renderer that it belongs to.
    var owner: Int32
}
