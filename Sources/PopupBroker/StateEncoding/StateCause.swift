import PopupProtocol
import PopupScheduling

/// The cause of a state: what a writer needs of the event that led to it.
struct StateCause {
    /// The number of its kind on the wire.
    var kindNumber: UInt8
    var kind: WireCause.Kind { WireCause.Kind(rawValue: Int(kindNumber)) ?? .unspecified }
    /// The reason for which its popup closed; `nil` if it did not.
    var reason: CloseReason?
    /// The id of its popup, in the buffer of the event.
    var popup: TextRange
    var action = TextRange.none

    /// Creates the cause for an event; `nil` for a refusal, which does not change a state.
    @inline(__always)
    init?(_ event: Event) {
        popup = event.popup
        switch event.kind {
        case .queued: kindNumber = Self.number(of: .queued)
        case .offered: kindNumber = Self.number(of: .offered)
        case .shown: kindNumber = Self.number(of: .shown)
        case .paused: kindNumber = Self.number(of: .paused)
        case .resumed: kindNumber = Self.number(of: .resumed)
        case .updated: kindNumber = Self.number(of: .updated)
        case .closed(let closeReason, let range, _):
            kindNumber = Self.number(of: .closed)
            reason = closeReason
            action = range
        case .refused: return nil
        }
    }

    @inline(__always)
    private static func number(of kind: WireCause.Kind) -> UInt8 { UInt8(truncatingIfNeeded: kind.rawValue) }
}
