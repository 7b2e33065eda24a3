/// What a call that changes something waits for.
public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// The broker's acknowledgement: the command is committed. It is sent again until the acknowledgement is there, and
    /// counts once however often it arrives. What the broker refuses is thrown.
    case confirmed
    /// Nothing: it returns when the command is under way on a live connection. It may be lost with the connection, and
    /// a refusal is told by events alone.
    case bestEffort
}
