/// Says whether each field of a command has a value that it can have, whatever the broker's state is.
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
        let check = FieldCheck(command: kind.name)
        guard command.producer.isEmpty || ProducerName(command.producer) != nil else {
            throw CommandRefusal(.invalid, "`producer` is not a valid producer; use 32 hexadecimal digits")
        }
        guard command.sequence == 0 || !command.producer.isEmpty else {
            throw CommandRefusal(.invalid, "`sequence` without a `producer`; give both or none")
        }
        switch kind {
        case .show(let popup): try validate(popup, check)
        case .update(let update): try validate(update, check)
        case .dismiss(let dismiss):
            try check.id(dismiss.id, "id")
            try check.optionalID(dismiss.action, "action")
            try check.optionalToken(dismiss.client, "client")
            try check.optionalGroup(dismiss.group)
        case .advance(let advance):
            try check.group(advance.group)
        case .clear(let clear):
            // What is mistyped is skipped as an unknown field: clearing everything must be said.
            guard clear.hasSelector else {
                throw check.refusal("selector", "is missing; choose popups, or all with {\"group\":\"*\"}")
            }
            guard clear.selector.isNarrowing else {
                throw check.refusal(
                    "selector",
                    "names nothing; say which popups are meant, or {\"group\":\"*\"} for everything, and check the "
                        + "spelling: fields that the broker does not know are skipped")
            }
            try validate(clear.selector, check)
        case .suspend(let suspend):
            try check.pattern(suspend.group)
            try check.id(suspend.token, "token")
        case .resume(let resume):
            try check.id(resume.token, "token")
        case .setPolicy(let policy): try validate(policy, check)
        case .setSession(let session):
            try check.group(session.group)
            try check.optionalID(session.session, "session")
        case .report(let report):
            try check.id(report.id, "id")
            try check.token(report.client, "client")
            try check.optionalGroup(report.group)
            guard report.report != nil else {
                throw check.refusal("report", "is missing; give one of displayed, visible, hidden")
            }
        case .answer(let answer):
            try check.id(answer.id, "id")
            try check.token(answer.client, "client")
            try check.optionalGroup(answer.group)
            guard answer.answer != nil else {
                throw check.refusal("answer", "is missing; give one of accept, veto, later")
            }
        case .lease(let lease):
            try check.token(lease.client, "client")
            for (index, group) in lease.groups.enumerated() { try check.pattern(group, "groups[\(index)]") }
        case .page(let page): try validate(page, check)
        case .query(let query): try validate(query, check)
        }
    }
}
