extension WireCommand {
    /// The group and popup that a command names, empty where it names none: a refusal is told to their subscribers.
    public var subject: (group: String, popup: String) {
        switch command {
        case .show(let popup): (popup.group, popup.id)
        case .update(let update): (update.group, update.id)
        case .dismiss(let dismiss): (dismiss.group, dismiss.id)
        case .advance(let advance): (advance.group, "")
        case .suspend(let suspend): (suspend.group, "")
        case .setPolicy(let policy): (policy.group, "")
        case .setSession(let session): (session.group, "")
        case .report(let report): (report.group, report.id)
        case .answer(let answer): (answer.group, answer.id)
        case .clear(let clear): (clear.selector.group, "")
        case .resume, .lease, .page, .query, nil: ("", "")
        }
    }
}

extension WireCommand.OneOf_Command {
    /// The command's name in the schema's JSON.
    public var name: String {
        switch self {
        case .show: "show"
        case .update: "update"
        case .dismiss: "dismiss"
        case .advance: "advance"
        case .clear: "clear"
        case .suspend: "suspend"
        case .resume: "resume"
        case .setPolicy: "setPolicy"
        case .setSession: "setSession"
        case .report: "report"
        case .answer: "answer"
        case .lease: "lease"
        case .page: "page"
        case .query: "query"
        }
    }
}
