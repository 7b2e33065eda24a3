import Foundation
import PopupClient
import PopupProtocol
import TerminalText

/// An explanation as text: a sentence, a line for each field of the decisive rule, and a line for each other rule.
struct ExplanationLines {
    let explanation: PopupExplanation
    var timeZone = TimeZone.current
    var characters = TerminalCharacters.unicode

    /// The lines: `B: waiting in lobby: …`, `rule: requirement`, `needs: A, closed with confirm`.
    var lines: [String] {
        var lines = ["\(explanation.id.onOneLine): \(Words.explanation(explanation))"]
        func add(_ label: String, _ text: String?) {
            if let text, !text.isEmpty { lines.append("\(label): \(text.onOneLine)") }
        }
        add("content", characters.text(Words.content(title: explanation.title, excerpt: explanation.excerpt)))
        add("requested by", explanation.user)
        if explanation.phase == .closed {
            add("why", Words.sentence(explanation.text))
            add("by", explanation.by)
            add("at", closedAt)
        } else {
            add("rule", explanation.rule)
            add("needs", requirement)
            add("cap", cap)
            add("page", page)
            add("session", explanation.session)
            add("behind", behind)
            add("for", explanation.remainingMs.map { "\(Words.time(milliseconds: $0)) more" })
            add("expires", explanation.expiresMs.map { "in \(Words.time(milliseconds: $0))" })
            for rule in explanation.rules.dropFirst() { add("also", "\(rule.rule): \(rule.text)") }
        }
        return lines
    }

    /// The required popup: `A`, or `A, closed with confirm`.
    private var requirement: String? {
        guard let requirement = explanation.requirement else { return nil }
        let action = requirement.action
        return requirement.popup + (action.isEmpty ? "" : ", closed with \(action)")
    }

    /// The cap: `3 in 10 min of ads`.
    private var cap: String? {
        guard let cap = explanation.cap else { return nil }
        let key = cap.capKey
        return "\(cap.most) in \(Words.time(milliseconds: cap.perMs))"
            + (key.isEmpty ? "" : " of \(key)")
    }

    /// The page binding, in the form of the option `--page`.
    private var page: String? {
        guard let page = explanation.page else { return nil }
        let scope = page.scope == .within ? "within" : "current"
        return "\(page.tree):\(page.value):\(scope)"
    }

    /// The popups and suspensions for which it waits: the active popup or suspensions, then the beginning of the queue.
    private var behind: String {
        let names = explanation.blockers
        // `ahead` does not count the active popup.
        let more = Int(explanation.ahead) - max(0, names.count - 1)
        return names.joined(separator: ", ") + (more > 0 && !names.isEmpty ? " and \(more) more" : "")
    }

    private var closedAt: String? {
        guard explanation.closedAt > 0 else { return nil }
        let style = Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()
            .dateTimeSeparator(.space).time(includingFractionalSeconds: true).timeZone(separator: .colon)
        return Date(timeIntervalSince1970: Double(explanation.closedAt) / 1000).formatted(style)
    }
}
