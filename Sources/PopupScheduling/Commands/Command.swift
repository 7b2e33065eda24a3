/// What the scheduler is told to do. All texts are ranges of the bytes that are handed in with the command.
public enum Command: Sendable {
    /// Put a popup before a person.
    case show(PopupRequest)
    /// Change a live popup in place.
    case update(PopupUpdate)
    /// The person is done with a popup.
    case dismiss(Dismissal)
    /// Close whichever popup the group shows.
    case advance(group: TextRange)
    /// Close what is selected.
    case clear(Selector)
    /// Hold back popups until the token is released.
    case suspend(Suspension)
    /// Release a suspension token.
    case resume(token: TextRange)
    /// Replace the policy of a group or pattern.
    indirect case setPolicy(pattern: TextRange, Policy)
    /// Change the session of a group.
    case setSession(group: TextRange, session: TextRange)
    /// What a renderer did with a popup.
    case report(Report)
    /// A renderer's answer to an offer.
    case answer(Answer)
    /// A renderer lives, and says which groups it shows.
    case lease(Lease)
    /// A session's screens change.
    case page(PageChange)
    /// Replace the policy of a group or pattern by one of a configuration, which is no producer's. Not on the wire.
    indirect case configurePolicy(pattern: TextRange, Policy)
    /// Take back the policy of a group or pattern: the next one in order holds. Not on the wire: for a configuration
    /// that is read again without it.
    case removePolicy(pattern: TextRange)
    /// Take the wall clock to be so many ms ahead of the scheduler's clock, or behind it. Not on the wire: for whoever
    /// measures it.
    case setWallClock(ahead: Milliseconds)
}

extension Command {
    /// The same as a configuration tells it.
    public var ofConfiguration: Command {
        if case .setPolicy(let pattern, let policy) = self { .configurePolicy(pattern: pattern, policy) } else { self }
    }
}
