/// Says whether each field of a command has a value that it can have, whatever the broker's state is: first each field on
/// its own (`Generated/WireChecks.swift`), then what fields say together (`FieldRelations.swift`).
public struct CommandValidator: Sendable {
    /// What a command may carry.
    public var limits: WireLimits

    /// A validator with these limits.
    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
    }

    /// Checks all fields.
    ///
    /// - Throws: `INVALID` with the path of the first field that is wrong, `TOO_LARGE` for content over its limit,
    ///   `UNSUPPORTED` when there is no command. The refusal carries group and popup as far as they can be told.
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
