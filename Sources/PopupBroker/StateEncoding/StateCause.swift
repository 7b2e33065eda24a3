import PopupProtocol
import PopupScheduling

/// The event that led to a state, as the wire has it.
struct StateCause {
    var kind: WireCause.Kind
    var reason = WireClosed.Reason.unspecified
    /// In the buffer of the event.
    var popup: TextRange
    var action = TextRange.none

    /// `nil` for a refusal, which leads to no state.
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
