/// Why a frame or command was not accepted. It changed nothing.
public struct CommandRefusal: Error, Hashable, Sendable {
    /// The reason in one word.
    public typealias Reason = WireRefused.Reason

    /// The reason in one word.
    public var reason: Reason
    /// What was wrong, where, and what to do; for people.
    public var detail: String
    /// The group that the command named, when it could be read: its `events` topic tells the refusal.
    public var group: GroupName?
    /// The popup that the command named, when it could be read.
    public var popup: String
    /// With `OVERLOAD`, in ms: not sooner than after it should the command be sent again; `nil` when that isn't known.
    public var retryAfter: UInt32?

    /// A refusal.
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
    /// The reason as the schema writes it.
    public var name: String { schemaName }
}
