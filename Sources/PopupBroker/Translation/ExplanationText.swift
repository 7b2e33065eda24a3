import PopupProtocol
import PopupScheduling
import SwiftProtobuf

extension WireExplainResult {
    init(_ explanation: Explanation) {
        let blockers = explanation.blockers
        let first = blockers.first ?? ""
        let (rule, text): (String, String) =
            switch explanation.rule {
            case .unknown: ("unknown", "no popup has this id; it never was, or was forgotten")
            case .active: ("active", "it is the one that its group shows")
            case .delayed(let time): ("delayed", "it arrives in \(time) ms")
            case .suspended: ("suspended", "held back by \(blockers.joined(separator: ", ")) until released")
            case .gap(let time): ("gap", "the pause between two popups lasts \(time) ms more")
            case .minimumDisplay(let time): ("minDisplay", "`\(first)` is protected for \(time) ms more")
            case .uninterruptible: ("uninterruptible", "`\(first)` may not be interrupted")
            case .line(let ahead) where ahead == 0:
                ("line", first.isEmpty ? "it is the next of its group" : "it is the next after `\(first)`")
            case .line(let ahead): ("line", "it takes its turn after `\(first)` and \(ahead) more of the line")
            case .offered, .gathering, .page, .session, .cap, .retry, .requirement, .flow, .held, .quiet: ("", "")
            case .closed(let reason, _, _, _, _): ("closed", "it closed \(WireClosed.Reason(reason).name)")
            }
        self = .with {
            $0.id = explanation.id
            $0.group = explanation.group
            $0.phase = explanation.phase.map(WirePhase.Name.init) ?? .unknown
            $0.rule = rule
            $0.blockers = blockers
            $0.text = text
            if case .closed(let reason, let action, _, _, let displayed) = explanation.rule {
                $0.closed = .with {
                    $0.reason = WireClosed.Reason(reason)
                    $0.action = action
                    $0.displayedMs = UInt32(clamping: displayed)
                }
            }
        }
    }
}

extension WireClosed.Reason {
    /// The reason as the schema writes it.
    fileprivate var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_\(letter)" : letter.uppercased()
        }
    }
}
