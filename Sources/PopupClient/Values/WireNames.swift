public import PopupProtocol

// The names that the schema gives to what people read.

extension WireClosed.Reason {
    /// The reason as the schema writes it.
    public var name: String {
        switch self {
        case .unspecified: "UNSPECIFIED"
        case .dismissed: "DISMISSED"
        case .advanced: "ADVANCED"
        case .timedOut: "TIMED_OUT"
        case .expired: "EXPIRED"
        case .preempted: "PREEMPTED"
        case .rejected: "REJECTED"
        case .superseded: "SUPERSEDED"
        case .replaced: "REPLACED"
        case .cleared: "CLEARED"
        case .evicted: "EVICTED"
        case .vetoed: "VETOED"
        case .unanswered: "UNANSWERED"
        case .unmet: "UNMET"
        case .undisplayed: "UNDISPLAYED"
        case .rendererLost: "RENDERER_LOST"
        case .pageClosed: "PAGE_CLOSED"
        case .sessionEnded: "SESSION_ENDED"
        case .UNRECOGNIZED(let value): "\(value)"
        }
    }
}

extension WirePhase.Name {
    /// The phase in lower case.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .delayed: "delayed"
        case .waiting: "waiting"
        case .offered: "offered"
        case .active: "active"
        case .paused: "paused"
        case .closed: "closed"
        case .UNRECOGNIZED(let value): "\(value)"
        }
    }
}

extension WireCause.Kind {
    /// The event's name.
    public var name: String {
        switch self {
        case .unspecified: "unspecified"
        case .queued: "queued"
        case .offered: "offered"
        case .shown: "shown"
        case .paused: "paused"
        case .resumed: "resumed"
        case .updated: "updated"
        case .closed: "closed"
        case .UNRECOGNIZED(let value): "\(value)"
        }
    }
}
