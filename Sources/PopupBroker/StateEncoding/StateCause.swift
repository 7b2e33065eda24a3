import PopupProtocol
import PopupScheduling

/// The cause of a state: the event that led to it, with the values of the wire.
struct StateCause {
    var kind: WireCause.Kind
    var reason = WireClosed.Reason.unspecified
    /// The id of its popup, in the buffer of the event.
    var popup: TextRange
    var action = TextRange.none

    /// Creates the cause for an event; `nil` for a refusal, which does not change a state.
    @inline(__always)
    init?(_ event: Event) {
        popup = event.popup
        switch event.kind {
        case .queued: kind = .queued
        case .offered: kind = .offered
        case .shown: kind = .shown
        case .paused: kind = .paused
        case .resumed: kind = .resumed
        case .updated: kind = .updated
        case .closed(let closeReason, let range, _):
            kind = .closed
            reason = WireClosed.Reason(closeReason)
            action = range
        case .refused: return nil
        }
    }
}
