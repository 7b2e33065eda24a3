package import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

extension WireExplainResult {
    /// Creates the message with the fields and the sentences of an explanation: those of the decisive rule, and the list
    /// of all rules that hold the popup back.
    package init(_ explanation: Explanation) {
        self.init()
        id = explanation.id
        group = explanation.group
        phase = explanation.phase.map(WirePhase.Name.init) ?? .unknown
        let decisive = WireHoldingRule(explanation.decisive)
        rule = decisive.rule
        blockers = decisive.blockers
        text = decisive.text
        ahead = decisive.ahead
        session = decisive.session
        if decisive.hasRemainingMs { remainingMs = decisive.remainingMs }
        if decisive.hasPage { page = decisive.page }
        if decisive.hasCap { cap = decisive.cap }
        if decisive.hasRequirement { requirement = decisive.requirement }
        switch explanation.rule {
        case .closed(let reason, let action, let by, let time, let displayed):
            closed = .with {
                $0.reason = WireClosed.Reason(reason)
                $0.action = action
                $0.displayedMs = UInt32(clamping: displayed)
            }
            self.by = by
            closedAt = UInt64(clamping: time)
        case .unknown, .active: break
        default: rules = [decisive] + explanation.others.map { WireHoldingRule($0) }
        }
    }
}

extension WireHoldingRule {
    /// Creates the rule with its fields and a sentence.
    init(_ reason: Explanation.Reason) {
        self.init()
        rule = reason.rule.name
        blockers = reason.blockers
        text = reason.text
        if let remaining = reason.rule.remaining { remainingMs = UInt32(clamping: remaining) }
        switch reason.rule {
        case .page(let scope, let tree, let value):
            page = .with {
                $0.tree = tree
                $0.value = value
                $0.scope = scope == .within ? .within : .current
            }
        case .session(let session): self.session = session
        case .cap(let key, let most, let window, _), .capWithoutSpace(let key, let most, let window, _):
            cap = .with {
                $0.capKey = key
                $0.most = most
                $0.perMs = window
            }
        case .requirement(let popup, let action):
            requirement = .with {
                $0.popup = popup
                $0.action = action
            }
        case .queue(let ahead): self.ahead = UInt32(clamping: ahead)
        case .unknown, .active, .offered, .gathering, .retry, .flow, .held, .quiet, .delayed, .suspended, .gap,
            .minimumDisplay, .uninterruptible, .closed:
            break
        }
    }
}

extension Explanation.Rule {
    /// The name of the rule in the protocol.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .active: "active"
        case .offered: "offered"
        case .gathering: "gathering"
        case .page: "page"
        case .session: "session"
        case .cap, .capWithoutSpace: "cap"
        case .retry: "retry"
        case .requirement: "requirement"
        case .flow: "flow"
        case .held: "held"
        case .quiet: "quiet"
        case .delayed: "delayed"
        case .suspended: "suspended"
        case .gap: "gap"
        case .minimumDisplay: "minDisplay"
        case .uninterruptible: "uninterruptible"
        case .queue: "queue"
        case .closed: "closed"
        }
    }

    /// The time in ms after which the rule may end; `nil` if it does not depend on time.
    fileprivate var remaining: Milliseconds? {
        switch self {
        case .offered(let time), .gathering(let time), .retry(let time), .held(let time), .quiet(let time),
            .delayed(let time), .gap(let time), .minimumDisplay(let time), .cap(_, _, _, let time),
            .capWithoutSpace(_, _, _, let time):
            time
        case .unknown, .active, .page, .session, .requirement, .flow, .suspended, .uninterruptible, .queue, .closed: nil
        }
    }
}
