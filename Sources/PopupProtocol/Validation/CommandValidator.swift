/// The validation of a command's fields, independent of the broker's state: first of each field
/// (`Generated/WireChecks.swift`), then of the relations between them (`FieldRelations.swift`).
public struct CommandValidator: Sendable {
    /// The limits of a command's content.
    public var limits: WireLimits

    /// Creates a validator with limits.
    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// Checks all fields.
    ///
    /// - Throws: `INVALID` with the path of the first invalid field, `TOO_LARGE` for content over its limit,
    ///   `UNSUPPORTED` without a command. The refusal contains the group and the popup of the command if it has them.
    public func validate(_ command: WireCommand) throws(CommandRefusal) {
        do throws(CommandRefusal) {
            try validateFields(command)
        } catch {
            var refusal = error
            let subject = command.subject
            refusal.group = GroupName(subject.group)
            refusal.popup = subject.popup
            throw refusal
        }
    }

    private func validateFields(_ command: WireCommand) throws(CommandRefusal) {
        guard let kind = command.command else { throw Ingress.unsupported("the frame holds no command of") }
        guard command.producer.isEmpty || ProducerName(command.producer) != nil else {
            throw CommandRefusal(.invalid, "`producer` is not a valid producer; use 32 hexadecimal digits")
        }
        guard command.sequence == 0 || !command.producer.isEmpty else {
            throw CommandRefusal(.invalid, "`sequence` without a `producer`; give both or none")
        }
        let check = FieldCheck(path: kind.name, limits: limits)
        try kind.checkFields(check)
        try kind.checkRelations(check)
    }
}
