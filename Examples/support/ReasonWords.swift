public import PopupClient

extension WireClosed.Reason {
    /// The reason as the protocol writes it.
    public var word: String {
        switch self {
        case .unspecified: "UNSPECIFIED"
        case .dismissed: "DISMISSED"
        case .advanced: "ADVANCED"
        case .timedOut: "TIMED_OUT"
        case .expired: "EXPIRED"
        case .preempted: "PREEMPTED"
        case .refused: "REFUSED"
        case .superseded: "SUPERSEDED"
        case .replaced: "REPLACED"
        case .cleared: "CLEARED"
        case .overflow: "OVERFLOW"
        case .vetoed: "VETOED"
        case .unanswered: "UNANSWERED"
        case .unmet: "UNMET"
        case .undisplayed: "UNDISPLAYED"
        case .rendererLost: "RENDERER_LOST"
        case .pageClosed: "PAGE_CLOSED"
        case .sessionEnded: "SESSION_ENDED"
        case .UNRECOGNIZED(let number): "\(number)"
        }
    }
}
