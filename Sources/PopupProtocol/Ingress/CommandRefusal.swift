/// The refusal of a frame or command, which has no effect.
public struct CommandRefusal: Error, Hashable, Sendable {
    /// The reason in one word.
    public typealias Reason = WireRefused.Reason

    /// The reason in one word.
    public var reason: Reason
    /// A description of the mistake, its place and its remedy, for people.
    public var detail: String
    /// The group of the command, if it could be read. Its `events` topic carries the refusal.
    public var group: GroupName?
    /// The popup of the command, if it could be read; otherwise empty.
    public var popup: String
    /// The user that sent the command; empty for a client without a key.
    public var user = ""
    /// With `OVERLOAD`, the time in ms after which the command may be sent again; `nil` if it is not known.
    public var retryAfter: UInt32?

    /// Creates a refusal.
    public init(
        _ reason: Reason, _ detail: String, group: GroupName? = nil, popup: String = "", retryAfter: UInt32? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.group = group
        self.popup = popup
        self.retryAfter = retryAfter
    }
}

extension CommandRefusal: CustomStringConvertible {
    /// Reason and detail.
    public var description: String { "\(reason.name): \(detail)" }
}

extension WireRefused.Reason {
    /// The name of the reason in the schema.
    public var name: String { schemaName }
}
