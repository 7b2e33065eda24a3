import PopupClient
import PopupProtocol

/// How the console puts the protocol's values into words.
enum Words {
    /// "7.2 s", "1:05 min", "7:01 h".
    static func time(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(100))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        return seconds < 3600 ? "\(clock(seconds)) min" : "\(clock(seconds / 60)) h"
    }

    private static func clock(_ value: Int) -> String {
        "\(value / 60):\(value % 60 < 10 ? "0" : "")\(value % 60)"
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
        let text = explanation.text.isEmpty || explanation.phase == .active ? "" : ": \(sentence(explanation.text))"
        return explanation.phase.name + place + text
    }

    /// A sentence of the broker's on one line, its times as people read them: "25314147 ms" is "7:01 h". Names, which stand
    /// between backticks, stay as they are.
    static func sentence(_ text: String) -> String {
        text.onOneLine.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index.isMultiple(of: 2) else { return String(part) }
            return String(part).replacing(/([0-9]+) ms/) { match in
                UInt32(match.1).map(time(milliseconds:)) ?? String(match.0)
            }
        }.joined(separator: "`")
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
