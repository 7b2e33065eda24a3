import PopupClient
import PopupProtocol
import TerminalText

/// A policy in force, for people: where it comes from, and its rules with the names and words of the
/// configuration file; caps and quiet windows are written out.
struct PolicyLines {
    let policy: PolicyInForce
    /// The group for which the policy was asked; `nil` with all policies.
    let asked: String?

    /// The source of the policy: "the configuration's policy of *".
    var source: String {
        switch policy.source {
        case .configuration: "the configuration's policy of \(policy.policy.group.onOneLine)"
        case .client: "the policy that a client has set for \(policy.policy.group.onOneLine)"
        case .default, .unspecified, .UNRECOGNIZED: "the default policy"
        }
    }

    var lines: [String] {
        ["\((asked ?? policy.policy.group).onOneLine): \(source)"] + rules.map { "  \($0): \($1)" }
    }

    private var rules: [(name: String, value: String)] {
        let rules = policy.policy
        var lines: [(String, String)] = []
        if rules.preset != .unspecified { lines.append(("preset", rules.preset.schemaName)) }
        lines += [
            ("higher", rules.higher.schemaName), ("peers", rules.peers.schemaName),
            ("lower", rules.lower.schemaName), ("ignorePriority", "\(rules.ignorePriority)"),
            ("resume", rules.resume.schemaName),
        ]
        lines +=
            rules.hasGapMs
            ? [("gapMs", "\(rules.gapMs)")]
            : [("gapMinMs", "\(rules.gapMinMs)"), ("gapMaxMs", "\(rules.gapMaxMs)")]
        lines += [
            ("gatherMs", "\(rules.gatherMs)"), ("defaultDurationMs", "\(rules.defaultDurationMs)"),
            ("maxDurationMs", "\(rules.maxDurationMs)"), ("clock", rules.clock.schemaName),
            ("offerMs", "\(rules.offerMs)"), ("offerDefault", rules.offerDefault.schemaName),
            ("retryMs", "\(rules.retryMs)"), ("displayTimeoutMs", "\(rules.displayTimeoutMs)"),
            ("undisplayed", rules.undisplayed.schemaName), ("rendererLost", rules.rendererLost.schemaName),
            ("maxAttempts", "\(rules.maxAttempts)"),
            rules.quorumAll ? ("quorumAll", "true") : ("quorum", "\(rules.quorum)"),
            ("agingMs", "\(rules.agingMs)"), ("overflow", rules.overflow.schemaName),
        ]
        if rules.hasMaxWaiting { lines.append(("maxWaiting", "\(rules.maxWaiting)")) }
        if !rules.pageTree.isEmpty { lines.append(("pageTree", rules.pageTree.onOneLine)) }
        lines += rules.caps.map { cap in
            let key = cap.capKey.isEmpty ? "" : "\(cap.capKey.onOneLine): "
            return ("cap", "\(key)\(cap.most) in \(Words.time(milliseconds: cap.perMs))")
        }
        lines += rules.quiet.map { window in
            let priority = window.hasMinPriority ? ", below priority \(window.minPriority)" : ""
            return ("quiet", "\(window.from)-\(window.to) \(window.timeZone.onOneLine)\(priority)")
        }
        return lines
    }
}
