import PopupClient

/// What a broker would send.
enum Samples {
    /// A screen that shows a popup, or nothing.
    static func screen(
        _ popup: Popup?, in group: String = "lobby", revision: UInt64 = 1, waiting: UInt32 = 0,
        isOffered: Bool = false, cause: PopupCause = PopupCause()
    ) -> GroupState {
        var state = PublishedState()
        state.group = group
        state.revision = revision
        if let popup { state.active = popup }
        state.waiting = waiting
        state.offered = isOffered
        state.cause = cause
        return GroupState(state, received: .now)
    }

    /// What led to a state.
    static func cause(
        _ kind: PopupCause.Kind, _ popup: String, _ reason: PopupClosed.Reason = .unspecified, action: String = ""
    ) -> PopupCause {
        var cause = PopupCause()
        cause.kind = kind
        cause.popup = popup
        cause.reason = reason
        cause.action = action
        return cause
    }

    /// Something that happened.
    static func event(
        _ time: UInt64, _ popup: String, revision: UInt64, in group: String = "lobby",
        _ event: PopupEvent.Kind
    ) -> PopupEvent {
        var result = PopupEvent()
        result.group = group
        result.popup = popup
        result.time = time
        result.revision = revision
        result.event = event
        return result
    }

    /// An end.
    static func closed(_ reason: PopupClosed.Reason, action: String = "") -> PopupEvent.Kind {
        var closed = PopupClosed()
        closed.reason = reason
        closed.action = action
        return .closed(closed)
    }
}
