extension Explanation.Reason {
    /// A sentence that says what holds the popup back, and until when.
    public var text: String {
        let first = blockers.first ?? ""
        switch rule {
        case .unknown: return "no popup has this id; it never existed, or was forgotten"
        case .active: return "it is the active popup of its group"
        case .offered(let time):
            return "the renderers are asked whether to show it; they may answer for \(time) ms more"
        case .gathering(let time): return "its flow gathers its members for \(time) ms more"
        case .page(.current, let tree, let value):
            return "it is shown only while `\(value)` is the current page of `\(tree)`"
        case .page(.within, let tree, let value):
            return "it is shown only while `\(value)` is on the path to the current page of `\(tree)`"
        case .session(let session): return "it is shown only while its group's session is `\(session)`"
        case .capWithoutSpace(let key, _, _, let time):
            return "its cap has no space to count more popups \(Self.counted(key)); the next may be in \(time) ms"
        case .cap(let key, let most, let window, let time):
            let counted = Self.counted(key)
            let shown = most == 1 ? "1 popup \(counted) was" : "\(most) popups \(counted) were"
            return "\(shown) shown within \(window) ms, as many as its cap allows; the next may be in \(time) ms"
        case .retry(let time): return "a renderer asked to be offered it later: in \(time) ms"
        case .requirement(let popup, let action):
            return action.isEmpty
                ? "`\(popup)` of its flow has to close first"
                : "`\(popup)` of its flow has to close with `\(action)` first"
        case .flow: return first.isEmpty ? "another member of its flow goes first" : "`\(first)` of its flow goes first"
        case .held(let time):
            return "a flow keeps the slot for members that come later, for \(time) ms more"
        case .quiet(let time): return "a quiet window holds its priority back for at least \(time) ms more"
        case .delayed(let time): return "it arrives in \(time) ms"
        case .suspended:
            return blockers.count == 1
                ? "the suspension \(list(blockers)) holds its priority back until it is released"
                : "the suspensions \(list(blockers)) hold its priority back until all are released"
        case .gap(let time): return "the pause between two popups lasts \(time) ms more"
        case .minimumDisplay(let time): return "`\(first)` is protected by its minimum display time for \(time) ms more"
        case .uninterruptible: return "`\(first)` may not be interrupted"
        case .queue(ahead: 0):
            return first.isEmpty ? "it is next in the queue" : "it is next in the queue, after `\(first)`"
        case .queue(let ahead):
            return first.isEmpty
                ? "\(ahead == 1 ? "1 popup is" : "\(ahead) popups are") ahead of it in the queue"
                : "`\(first)` and \(ahead) more are ahead of it in the queue"
        case .closed(let reason, let action, let by, _, let displayed):
            let seen = displayed > 0 ? ", after it was shown for \(displayed) ms" : "; it was never shown"
            let policy = reason == .preempted ? "; its group's policy closes what is interrupted" : ""
            return Self.cause(of: reason, action: action, by: by) + seen + policy
        }
    }

    private static func counted(_ capKey: String) -> String {
        capKey.isEmpty ? "of its group" : "with the cap key `\(capKey)`"
    }

    private static func cause(of reason: CloseReason, action: String, by: String) -> String {
        let other = by.isEmpty ? "another popup" : "`\(by)`"
        return switch reason {
        case .dismissed: action.isEmpty ? "it was dismissed" : "it was dismissed with `\(action)`"
        case .advanced: "its group was advanced to the next popup"
        case .timedOut: "its display time ended"
        case .expired: "its time to live ended"
        case .preempted: "\(other) interrupted it"
        case .rejected:
            by.isEmpty
                ? "the policy of its group allows no popup to wait"
                : "the policy of its group allows no popup to wait behind \(other)"
        case .superseded: "\(other) arrived, which is exclusive"
        case .replaced: "\(other) with the same collapse key took its index"
        case .cleared: "it was cleared"
        case .evicted: "its group's queue was full"
        case .vetoed: "a renderer rejected it"
        case .unanswered: "no renderer answered the offer"
        case .unmet:
            by.isEmpty
                ? "what it requires of its flow did not happen"
                : "\(other), which it requires, did not close as required"
        case .undisplayed: "no renderer displayed it in time"
        case .rendererLost: "the last renderer that displayed it is gone"
        case .pageClosed: "the page to which it was bound closed"
        case .sessionEnded: "the session to which it belonged ended"
        }
    }

    private func list(_ names: [String]) -> String {
        names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
