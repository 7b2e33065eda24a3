public import PopupProtocol

/// What a group shows now.
public struct Screen: Equatable, Sendable {
    /// The group.
    public let group: String
    /// What is on screen; nil: nothing.
    public let popup: Popup?
    /// The popup is only offered: a renderer may still say no.
    public let isOffered: Bool
    /// How many popups of the group are delayed, waiting or paused.
    public let waiting: Int
    /// What led to it.
    public let cause: WireCause
    /// Counts the broker's starts. (epoch, revision) grows with every change of the group.
    public let epoch: UInt64
    /// Counts the changes of the group.
    public let revision: UInt64
    /// When it was received.
    public let received: ContinuousClock.Instant

    /// From a state of the wire.
    public init(_ state: WireGroupState, received: ContinuousClock.Instant) {
        group = state.group
        popup = state.hasActive ? state.active : nil
        isOffered = state.offered
        waiting = Int(state.waiting)
        cause = state.cause
        epoch = state.epoch
        revision = state.revision
        self.received = received
    }

    /// The display time that the popup has left, down to zero; nil: it stays until dismissed, or there is none.
    ///
    /// It may be off by the time that the state took to arrive. The broker's clock decides.
    public func remaining(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let popup, popup.hasRemainingMs else { return nil }
        return max(.zero, .milliseconds(popup.remainingMs) - received.duration(to: now))
    }
}
