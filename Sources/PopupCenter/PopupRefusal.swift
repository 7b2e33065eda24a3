/// The error that a command was not accepted. It has changed nothing.
public struct PopupRefusal: Error, Sendable, Equatable {
    /// The kind of reason, as in the protocol of a broker.
    public var reason: Refusal.Reason
    /// A sentence that says what is wrong and what to do.
    public var text: String

    /// Creates a refusal.
    public init(_ reason: Refusal.Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    init(_ refusal: Refusal) { self.init(refusal.reason, refusal.description) }
}

extension PopupRefusal: CustomStringConvertible {
    /// The sentence.
    public var description: String { text }
}
