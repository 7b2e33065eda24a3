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
        case .default, .unspecified, .unrecognized: "the default policy"
        }
    }

    var lines: [String] {
        ["\((asked ?? policy.policy.group).onOneLine): \(source)"] + rules.map { "  \($0): \($1)" }
    }

    private var rules: [(name: String, value: String)] {
        let rules = policy.policy
        var lines: [(String, String)] = []
        if rules.preset != .unspecified { lines.append(("preset", rules.preset.name)) }
        lines += [
            ("higher", rules.higher.name), ("peers", rules.peers.name),
            ("lower", rules.lower.name), ("ignorePriority", "\(rules.ignorePriority == true)"),
            ("resume", rules.resume.name),
        ]
        lines +=
            rules.gapMs.map { [("gapMs", "\($0)")] }
            ?? [("gapMinMs", number(rules.gapMinMs)), ("gapMaxMs", number(rules.gapMaxMs))]
        lines += [
            ("gatherMs", number(rules.gatherMs)), ("defaultDurationMs", number(rules.defaultDurationMs)),
            ("maxDurationMs", number(rules.maxDurationMs)), ("clock", rules.clock.name),
            ("offerMs", number(rules.offerMs)), ("offerDefault", rules.offerDefault.name),
            ("retryMs", number(rules.retryMs)), ("displayTimeoutMs", number(rules.displayTimeoutMs)),
            ("undisplayed", rules.undisplayed.name), ("rendererLost", rules.rendererLost.name),
            ("maxAttempts", number(rules.maxAttempts)),
            rules.quorumAll == true ? ("quorumAll", "true") : ("quorum", number(rules.quorum)),
            ("agingMs", number(rules.agingMs)), ("overflow", rules.overflow.name),
        ]
        if let most = rules.maxWaiting { lines.append(("maxWaiting", "\(most)")) }
        if let tree = rules.pageTree, !tree.isEmpty { lines.append(("pageTree", tree.onOneLine)) }
        lines += rules.caps.map { cap in
            let key = cap.capKey.isEmpty ? "" : "\(cap.capKey.onOneLine): "
            return ("cap", "\(key)\(cap.most) in \(Words.time(milliseconds: cap.perMs))")
        }
        lines += rules.quiet.map { window in
            let priority = window.minPriority.map { ", below priority \($0)" } ?? ""
            return ("quiet", "\(window.from)-\(window.to) \(window.timeZone.onOneLine)\(priority)")
        }
        return lines
    }

    /// Returns a number of a policy in force, which has all of them.
    private func number(_ number: UInt32?) -> String { "\(number ?? 0)" }
}
