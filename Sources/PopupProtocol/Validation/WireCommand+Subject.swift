extension WireCommand {
    /// The group and the popup of a command, empty if it has none. The subscribers of their events receive a refusal.
    public var subject: (group: String, popup: String) {
        switch command {
        case .show(let popup): (popup.group, popup.id)
        case .update(let update): (update.group, update.id)
        case .dismiss(let dismiss): (dismiss.group, dismiss.id)
        case .advance(let advance): (advance.group, "")
        case .suspend(let suspend): (suspend.group, "")
        case .setPolicy(let policy): (policy.group, "")
        case .unsetPolicy(let policy): (policy.group, "")
        case .setSession(let session): (session.group, "")
        case .report(let report): (report.group, report.id)
        case .answer(let answer): (answer.group, answer.id)
        case .clear(let clear): (clear.selector.group, "")
        case .resume, .lease, .page, .query, nil: ("", "")
        }
    }
}
