public import PopupProtocol

/// What a group shows now.
public struct GroupState: Equatable, Sendable {
    /// The state as the broker sent it.
    public let state: WireGroupState
    /// When it was received.
    public let received: ContinuousClock.Instant

    /// A state of the wire.
    public init(_ state: WireGroupState, received: ContinuousClock.Instant) {
        self.state = state
        self.received = received
    }

    /// The group.
    public var group: String { state.group }
    /// What is on screen; nil: nothing.
    public var popup: Popup? { state.hasActive && !state.offered ? state.active : nil }
    /// What would be shown next, if no renderer says no; nil: nothing is asked. It is not on screen yet, and nothing
    /// else is.
    public var offered: Popup? { state.hasActive && state.offered ? state.active : nil }
    /// How many popups of the group wait, delayed ones included.
    public var waiting: Int { Int(state.waiting) }

    /// How many popups of the group are paused.
    public var paused: Int { Int(state.paused) }

    /// How many popups of the group are still to come: waiting and paused ones.
    public var toCome: Int { waiting + paused }
    /// What led to it.
    public var cause: WireCause { state.cause }

    /// The display time that the popup has left, down to zero; nil: it stays until dismissed, or there is none on
    /// screen. While a policy counts visible time alone, it may run slower than this.
    ///
    /// It may be off by the time that the state took to arrive. The broker's clock decides.
    public func remaining(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let popup, popup.hasRemainingMs else { return nil }
        return max(.zero, .milliseconds(popup.remainingMs) - received.duration(to: now))
    }
}
