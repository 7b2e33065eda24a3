public import PopupProtocol

/// The refusal of a command or query by the broker, or by the client before it is sent. The command has no effect.
public struct Refusal: Error, Hashable, Sendable {
    /// The reason in one word.
    public var reason: RefusalReason
    /// A description of the mistake, its place and its remedy, for people.
    public var detail: String

    /// Creates a refusal.
    public init(_ reason: RefusalReason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// Creates the refusal of a command that the check before sending has refused.
    @_spi(Wire)
    public init(_ refusal: CommandRefusal) {
        self.init(RefusalReason(wire: refusal.reason), refusal.detail)
    }
}

extension Refusal: CustomStringConvertible {
    /// Reason and detail.
    public var description: String { "\(reason.name): \(detail)" }
}
