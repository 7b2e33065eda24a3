/// The state of a group at one time: the popup that it shows, and the number of waiting ones.
public struct GroupState: Equatable, Sendable {
    /// The state as the broker sent it.
    public let state: PublishedState
    /// The time when it was received.
    public let received: ContinuousClock.Instant
    /// Whether the broker was heard not long ago: within `ClientLimits.confirmationTimeout`, 5 s by default. Otherwise the
    /// group may show something else by now: a screen stays as it is, and may say that the connection is lost.
    ///
    /// A stream returns each state again when this changes. Over HTTP, it is `false` as long as the gateway has no broker, and
    /// when the client has been without the gateway for 5 s.
    public let isConfirmed: Bool

    /// Creates a group state from the message of the broker.
    public init(_ state: PublishedState, received: ContinuousClock.Instant, isConfirmed: Bool = true) {
        self.state = state
        self.received = received
        self.isConfirmed = isConfirmed
    }

    /// The group.
    public var group: String { state.group }
    /// The active popup, which renderers display; `nil` for none.
    public var popup: Popup? { state.offered ? nil : state.active }
    /// The popup that is offered to the renderers; `nil` for none. It is not displayed yet, and no other popup is.
    public var offered: Popup? { state.offered ? state.active : nil }
    /// The number of waiting popups, including delayed ones.
    public var waiting: Int { Int(state.waiting) }

    /// The number of paused popups.
    public var paused: Int { Int(state.paused) }

    /// The number of waiting and paused popups.
    public var toCome: Int { waiting + paused }
    /// The cause of this state.
    public var cause: PopupCause { state.cause }

    /// Returns the display time that the popup has left, at least zero; `nil` if it stays until dismissed, or if no
    /// popup is active. If the policy counts only visible time, more may be left.
    ///
    /// The result is too great by the transmission time of the state. The clock of the broker decides.
    public func remaining(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let left = popup?.remainingMs else { return nil }
        return max(.zero, .milliseconds(left) - received.duration(to: now))
    }
}
