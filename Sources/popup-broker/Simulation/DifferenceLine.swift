import PopupProtocol
import PopupSimulation

/// The difference between two outcomes of a popup, as a JSON object on one line.
struct DifferenceLine {
    /// The object, with its members in alphabetical order.
    let text: String

    init(_ difference: PopupDifference) {
        var delay: Int64?
        for change in difference.changes {
            switch change {
            case .earlier(let time): delay = -time
            case .later(let time): delay = time
            default: break
            }
        }
        text =
            AnyJSON(members: [
                "popup": .text(difference.popup),
                "group": .text(difference.group),
                "content": difference.content.isEmpty ? nil : .text(difference.content),
                "ttlMs": difference.timeToLive == 0 ? nil : .number(difference.timeToLive),
                "changes": .list(difference.changes.map { .text($0.name) }),
                // The delay of its first showing, in ms; negative: it is earlier.
                "shownLaterMs": delay.map { .number($0) },
                "was": difference.was.json,
                "now": difference.now.json,
            ]).json
    }
}

extension PopupOutcome {
    fileprivate var json: AnyJSON {
        var members: [String: AnyJSON] = ["shownAt": .list(shown.map { .number($0) })]
        if let reason = end.reason { members["reason"] = .text(reason) }
        switch end {
        case .open: members["end"] = .text("OPEN")
        case .closed(_, let action, let time, let displayed):
            members["end"] = .text("CLOSED")
            if !action.isEmpty { members["action"] = .text(action) }
            members["endedAt"] = .number(time)
            members["displayedMs"] = .number(displayed)
        case .refused(_, let time):
            members["end"] = .text("REFUSED")
            members["endedAt"] = .number(time)
        }
        return .object(members)
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
