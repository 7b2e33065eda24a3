import PopupClient
import PopupProtocol

/// How the console puts the protocol's values into words.
enum Words {
    /// "7.2 s", "1:05 min".
    static func time(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(100))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest) min"
    }

    static func time(milliseconds: UInt32) -> String {
        time(.milliseconds(milliseconds))
    }

    /// "closed DISMISSED ok after 3.2 s".
    static func closed(_ closed: PopupClosed) -> String {
        let action = closed.action.isEmpty ? "" : " \(closed.action.onOneLine)"
        return "closed \(closed.reason.name)\(action) after \(time(milliseconds: closed.displayedMs))"
    }

    /// "waiting in lobby: …".
    static func explanation(_ explanation: PopupExplanation) -> String {
        if case .closed = explanation.phase, explanation.hasClosed { return closed(explanation.closed) }
        let place = explanation.group.isEmpty ? "" : " in \(explanation.group)"
        let text = explanation.text.isEmpty || explanation.phase == .active ? "" : ": \(explanation.text.onOneLine)"
        return explanation.phase.name + place + text
    }

    /// "home/history", or that there is none.
    static func path(_ path: PagePath) -> String {
        path.values.isEmpty ? "no page" : path.joined.onOneLine
    }

    /// ", closed A, B": what came of a command that closes others.
    static func closing(_ popups: [String]) -> String {
        popups.isEmpty ? "" : ", closed \(popups.map(\.onOneLine).joined(separator: ", "))"
    }

    /// "p5", what is left, what it waits for.
    static func timing(_ summary: PopupSummary) -> String {
        if summary.hasRemainingMs { return time(milliseconds: summary.remainingMs) }
        return summary.phase == .delayed ? "in \(time(milliseconds: summary.delayMs))" : ""
    }
}
