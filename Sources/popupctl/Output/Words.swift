import PopupClient
import PopupProtocol
import TerminalText

/// The values of the protocol as text.
enum Words {
    /// Returns a duration as text: "7.2 s", "1 min 5 s", "7 h 1 min".
    static func time(_ duration: Duration) -> String {
        DurationText.text(duration)
    }

    static func time(milliseconds: UInt32) -> String {
        time(.milliseconds(milliseconds))
    }

    /// Returns how a popup closed: "closed DISMISSED ok, shown for 3.2 s", "closed EXPIRED, never shown".
    static func closed(_ closed: PopupClosed) -> String {
        let action = closed.action.isEmpty ? "" : " \(closed.action.onOneLine)"
        let shown = closed.displayedMs == 0 ? "never shown" : "shown for \(time(milliseconds: closed.displayedMs))"
        return "closed \(closed.reason.name)\(action), \(shown)"
    }

    /// Returns the phase of a popup and the reason: "waiting in lobby: …".
    static func explanation(_ explanation: PopupExplanation) -> String {
        if case .closed = explanation.phase, let end = explanation.closed { return closed(end) }
        let place = explanation.group.isEmpty ? "" : " in \(explanation.group)"
        let text = explanation.text.isEmpty || explanation.phase == .active ? "" : ": \(sentence(explanation.text))"
        return explanation.phase.name + place + text
    }

    /// Returns a sentence of the broker on one line, with its times in units that are easy to read: "25314147 ms" is "7 h 1 min". Names, between
    /// backticks, stay as they are.
    static func sentence(_ text: String) -> String {
        text.onOneLine.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index.isMultiple(of: 2) else { return String(part) }
            return String(part).replacing(/([0-9]+) ms/) { match in
                UInt32(match.1).map(time(milliseconds:)) ?? String(match.0)
            }
        }.joined(separator: "`")
    }

    /// Returns how many popups `clear` has closed: "6 popups closed", "5 popups closed, 1 left".
    static func cleared(_ count: Int, left: Int) -> String {
        (count == 1 ? "1 popup closed" : "\(count) popups closed") + (left == 0 ? "" : ", \(left) left")
    }

    /// Returns a path: "home/history", or "no page".
    static func path(_ path: PagePath) -> String {
        path.values.isEmpty ? "no page" : path.joined.onOneLine
    }

    /// Returns the popups that a command has closed: ", closed A, B".
    static func closing(_ popups: [String]) -> String {
        popups.isEmpty ? "" : ", closed \(popups.map(\.onOneLine).joined(separator: ", "))"
    }

    /// Returns the time that a popup has left, or after which it arrives or expires: "8.0 s", "in 2.0 s", "expires in 5 min".
    static func timing(_ summary: PopupSummary) -> String {
        if summary.phase == .delayed { return "in \(time(milliseconds: summary.delayMs))" }
        if summary.phase == .waiting, let left = summary.expiresMs { return "expires in \(time(milliseconds: left))" }
        return summary.remainingMs.map { time(milliseconds: $0) } ?? ""
    }

    /// Returns where nothing was found: " in lobby", "" for all groups.
    static func place(_ groups: [String]) -> String {
        groups.isEmpty || groups == ["*"] ? "" : " in \(groups.map(\.onOneLine).joined(separator: ", "))"
    }

    /// Returns what a popup says: its title and the beginning of its text, on one line.
    static func content(title: String, excerpt: String) -> String {
        [title, excerpt].filter { !$0.isEmpty }.map(\.onOneLine).joined(separator: " – ")
    }
}
