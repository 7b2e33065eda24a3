/// The task of a timer, with the object to which it applies.
enum TimerTask: BitwiseCopyable, Equatable {
    /// The popup's delay ends.
    case arrival(PopupRecord.Index)
    /// The gathering of the flow ends.
    case gathering(FlowRecord.Index)
    /// The popup expires.
    case expiry(PopupRecord.Index)
    /// The popup's offer ends.
    case offer(PopupRecord.Index)
    /// The popup may be offered again.
    case retry(PopupRecord.Index)
    /// The popup's display time ends.
    case display(PopupRecord.Index)
    /// The minimum display time of the group's active popup ends.
    case minimumDisplay(GroupRecord.Index)
    /// The time in which a renderer has to display the group's active popup ends.
    case displayTimeout(GroupRecord.Index)
    /// The hold of a flow ends.
    case hold(GroupRecord.Index)
    /// The group's gap ends.
    case gap(GroupRecord.Index)
    /// A cap of the group allows another showing.
    case cap(GroupRecord.Index)
    /// A quiet window of the policy may begin or end.
    case quiet(PolicyTable.Index)
    /// The renderer's lease ends.
    case lease(RendererRecord.Index)
}

/// A timer that is due.
struct DueTimer: Equatable {
    var due: Milliseconds
    var task: TimerTask
    /// Its former index.
    var timer: TimerQueue.Index
}
