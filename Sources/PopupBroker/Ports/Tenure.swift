/// The right to publish of a broker whose journal another process can take over.
public protocol Tenure: AnyObject, Sendable {
    /// Whether the broker owns its journal now, as far as is proved. Asked before each turn and each flush: must be
    /// fast.
    var standing: TenureStanding { get }

    /// Sets the function to call when the standing changes, or the journal's `timeLimit`. Any thread may call it.
    func notify(_ wake: @escaping @Sendable () -> Void)

    /// Records that the broker's loop runs: called at the beginning of each turn, and repeatedly while it is mute. The
    /// owner of the tenure may end that of a broker that hangs. It wakes an idle broker by the function of `notify`.
    func recordTurn()
}

extension Tenure {
    /// Does nothing: the tenure does not depend on it.
    public func recordTurn() {}
}

/// Whether a broker owns its journal.
public enum TenureStanding: Hashable, Sendable {
    /// It does not own it yet: it waits with open sockets, to which no client sends commands.
    case awaited
    /// It does, as was proved recently.
    case held
    /// The last proof is too old: the broker is mute. It neither reads nor publishes until there is another proof.
    case unconfirmed
    /// Another process owns it permanently: the broker ends, and publishes nothing.
    case lost
}
