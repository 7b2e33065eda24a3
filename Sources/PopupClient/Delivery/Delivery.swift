/// The condition for which a command waits before its call returns.
public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// The acknowledgement of the broker: the command is committed. The command is sent again until then, and takes effect
    /// once. The call throws a refusal.
    case confirmed
    /// The command is sent without a confirmation: the call returns when it is sent on a live connection. It may be
    /// lost with the connection, and only events report a refusal.
    case bestEffort
}
