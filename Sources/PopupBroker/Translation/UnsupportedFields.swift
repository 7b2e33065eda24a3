import PopupProtocol

/// What the protocol has and this broker not yet. It is refused by name, never ignored: nothing is shown by other rules
/// than those that its producer asked for.
enum UnsupportedFields {
    /// The first field or command of a valid command that is not there yet.
    static func first(in command: WireCommand) -> String? {
        switch command.command {
        case .show(let popup): field(of: popup).map { "show.\($0)" }
        case .setPolicy(let policy): field(of: policy).map { "setPolicy.\($0)" }
        case .query(let query): if case .path = query.query { "query.path" } else { nil }
        case .setSession: "setSession"
        case .report: "report"
        case .answer: "answer"
        case .lease: "lease"
        case .page: "page"
        case .update, .dismiss, .advance, .clear, .suspend, .resume, nil: nil
        }
    }

    private static func field(of popup: WirePopup) -> String? {
        if popup.hasFlow { return "flow" }
        if popup.hasPage { return "page" }
        if !popup.session.isEmpty { return "session" }
        if popup.offerMs > 0 { return "offerMs" }
        if popup.quorum > 1 { return "quorum" }
        if popup.quorumAll { return "quorumAll" }
        if !popup.capKey.isEmpty { return "capKey" }
        return nil
    }

    private static func field(of policy: WireSetPolicy) -> String? {
        if policy.gatherMs > 0 { return "gatherMs" }
        if policy.clock == .visible { return "clock" }
        if policy.offerMs > 0 { return "offerMs" }
        if policy.offerDefault != .unspecified { return "offerDefault" }
        if policy.hasRetryMs { return "retryMs" }
        if policy.displayTimeoutMs > 0 { return "displayTimeoutMs" }
        if policy.undisplayed != .unspecified { return "undisplayed" }
        if policy.rendererLost != .unspecified { return "rendererLost" }
        if policy.hasMaxAttempts { return "maxAttempts" }
        if policy.quorum > 1 { return "quorum" }
        if policy.quorumAll { return "quorumAll" }
        if !policy.caps.isEmpty { return "caps" }
        if !policy.quiet.isEmpty { return "quiet" }
        if policy.agingMs > 0 { return "agingMs" }
        if !policy.pageTree.isEmpty { return "pageTree" }
        return nil
    }
}
