/// An event in the life of a popup.
public struct PopupEvent: Sendable, Equatable {
    /// The number of events that wait for a slow reader of a stream, unless it asks for another number.
    public static let maxWaiting = 1024

    /// The kind of event.
    public enum Kind: Sendable, Equatable {
        /// It was accepted and is not shown at once.
        case queued
        /// It is offered to the screen, and shown when the screen accepts it.
        case offered
        /// It is active; `attempt` is 1 for the first time.
        case shown(attempt: Int)
        /// It was interrupted and will come back.
        case paused
        /// It is active again.
        case resumed
        /// It was changed in place.
        case updated
        /// It is over. Nothing else follows for it.
        case closed(PopupClosing)
        /// It was not accepted, by a gate or a rule, or a command for it was refused.
        case refused(PopupRefusal)
    }

    /// The number of the event, counted from the center's beginning. A gap in a stream is the number of dropped events.
    public var number: UInt64
    /// The time: since 1970 if the center knows the wall clock, otherwise since its beginning.
    public var time: Duration
    /// The group; empty for a refusal if it is not known.
    public var group: String
    /// The id of the popup.
    public var popup: String
    /// The revision of the group's state after it; 0 for a refusal.
    public var revision: UInt64
    /// The kind of event.
    public var kind: Kind
    /// The values of the pages from the root to the current one, if the policy of the group names a tree.
    public var path: [String]
}

/// The end of a popup.
public struct PopupClosing: Sendable, Equatable {
    /// The reason.
    public var reason: CloseReason
    /// The action with which the user dismissed it; empty for none.
    public var action: String
    /// The time for which it was active, pauses not counted.
    public var displayed: Duration

    /// Creates a closing, for tests of what handles one.
    public init(reason: CloseReason, action: String = "", displayed: Duration = .zero) {
        self.reason = reason
        self.action = action
        self.displayed = displayed
    }
}

extension PopupEvent.Kind {
    init(_ kind: Event.Kind, in buffer: borrowing EventBuffer) {
        self =
            switch kind {
            case .queued: .queued
            case .offered: .offered
            case .shown(let attempt): .shown(attempt: Int(attempt))
            case .paused: .paused
            case .resumed: .resumed
            case .updated: .updated
            case .closed(let reason, let action, let displayed):
                .closed(
                    PopupClosing(
                        reason: reason, action: reason == .dismissed ? buffer.string(action) : "",
                        displayed: .milliseconds(displayed)))
            case .refused(let refusal): .refused(PopupRefusal(refusal))
            }
    }
}
