/// What a timer does when it falls due, and to whom.
enum TimerTask: BitwiseCopyable, Equatable {
    /// The popup's delay is over.
    case arrival(PopupRecord.Index)
    /// The flow's members have gathered.
    case gathering(FlowRecord.Index)
    /// The popup was not first shown in time.
    case expiry(PopupRecord.Index)
    /// No renderer answered the popup's offer.
    case offer(PopupRecord.Index)
    /// The popup may be offered again.
    case retry(PopupRecord.Index)
    /// The popup's display time is over.
    case display(PopupRecord.Index)
    /// The group's active popup is no longer protected.
    case minimumDisplay(GroupRecord.Index)
    /// No renderer displayed the group's active popup in time.
    case displayTimeout(GroupRecord.Index)
    /// The flow keeps the group's slot no longer.
    case hold(GroupRecord.Index)
    /// The group's gap is over.
    case gap(GroupRecord.Index)
    /// A cap of the group allows one more.
    case cap(GroupRecord.Index)
    /// A quiet window of the policy may begin or end.
    case quiet(PolicyTable.Index)
    /// The renderer's lease is over.
    case lease(RendererRecord.Index)
}

/// A timer that falls due.
struct DueTimer: Equatable {
    var due: Milliseconds
    var task: TimerTask
    /// The index that it had.
    var timer: TimerQueue.Index
}
