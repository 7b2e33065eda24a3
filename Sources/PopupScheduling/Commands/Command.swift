/// A command for the scheduler. Its texts are ranges of the bytes that the caller passes with it.
public enum Command: Sendable {
    /// Requests a popup.
    case show(PopupRequest)
    /// Changes a live popup in place.
    case update(PopupUpdate)
    /// Closes a popup with the action that the user chose.
    case dismiss(Dismissal)
    /// Closes the active popup of a group.
    case advance(group: TextRange)
    /// Closes the selected popups.
    case clear(Selector)
    /// Holds popups back until the token is released.
    case suspend(Suspension)
    /// Releases a suspension token.
    case resume(token: TextRange)
    /// Replaces the policy of a group or pattern.
    indirect case setPolicy(pattern: TextRange, Policy)
    /// Changes the session of a group.
    case setSession(group: TextRange, session: TextRange)
    /// Reports what a renderer did with a popup.
    case report(Report)
    /// Answers an offer on behalf of a renderer.
    case answer(Answer)
    /// Creates or renews the lease of a renderer, with the groups that it shows.
    case lease(Lease)
    /// Changes the pages of a tree.
    case page(PageChange)
    /// Replaces the policy of a group or pattern by a configured one, which counts towards no producer's share. Not on
    /// the wire.
    indirect case configurePolicy(pattern: TextRange, Policy)
    /// Removes the configured policy of a group or pattern; the next less specific one applies. Not on the wire: for a
    /// configuration that is reloaded without the policy.
    case removePolicy(pattern: TextRange)
    /// Sets the time by which the wall clock is ahead of the scheduler's clock; negative if it is behind. Not on the
    /// wire: for the code that measures it.
    case setWallClock(ahead: Milliseconds)
}

extension Command {
    /// The command as the configuration gives it: a policy that counts towards no producer's share.
    public var ofConfiguration: Command {
        if case .setPolicy(let pattern, let policy) = self { .configurePolicy(pattern: pattern, policy) } else { self }
    }
}
