import Foundation
import PopupProtocol
import PopupSimulation

/// The difference between two outcomes of a popup, as a JSON object on one line.
struct DifferenceLine: Encodable {
    /// The outcome of one run.
    struct Outcome: Encodable {
        var shownAt: [Int64]
        /// `CLOSED`, `REFUSED` or `OPEN`.
        var end: String
        var reason: String?
        var action: String?
        var endedAt: Int64?
        var displayedMs: UInt32?
    }

    var popup: String
    var group: String
    var content: String?
    var ttlMs: UInt32?
    var changes: [String]
    /// The delay of its first showing, in ms; negative: it is earlier.
    var shownLaterMs: Int64?
    var was: Outcome
    var now: Outcome

    init(_ difference: PopupDifference) {
        popup = difference.popup
        group = difference.group
        content = difference.content.isEmpty ? nil : difference.content
        ttlMs = difference.timeToLive == 0 ? nil : difference.timeToLive
        changes = difference.changes.map(\.name)
        for change in difference.changes {
            switch change {
            case .earlier(let time): shownLaterMs = -time
            case .later(let time): shownLaterMs = time
            default: break
            }
        }
        was = Outcome(difference.was)
        now = Outcome(difference.now)
    }

    /// The object, with its members in alphabetical order.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension DifferenceLine.Outcome {
    init(_ outcome: PopupOutcome) {
        shownAt = outcome.shown
        reason = outcome.end.reason
        switch outcome.end {
        case .open: end = "OPEN"
        case .closed(_, let action, let time, let displayed):
            end = "CLOSED"
            self.action = action.isEmpty ? nil : action
            endedAt = time
            displayedMs = displayed
        case .refused(_, let time):
            end = "REFUSED"
            endedAt = time
        }
    }
}

extension PopupDifference.Change {
    fileprivate var name: String {
        switch self {
        case .earlier: "EARLIER"
        case .later: "LATER"
        case .never: "NEVER"
        case .onlyNow: "ONLY_NOW"
        case .moreOften: "MORE_OFTEN"
        case .lessOften: "LESS_OFTEN"
        case .endsOtherwise: "ENDS_DIFFERENTLY"
        }
    }
}
