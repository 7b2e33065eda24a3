import ExampleSupport
import PopupClient
import TerminalText

/// The changes of a group as lines of text: the popup that left and why, and the popup that came.
struct ScreenLines {
    private struct Seen {
        var screen: GroupState
        /// The popups that were paused here: when they are shown again, they are resumed and not new.
        var paused: Set<String> = []
    }

    private var seen: [String: Seen] = [:]

    /// Returns the lines for the next state of the group.
    mutating func lines(for screen: GroupState) -> [String] {
        var lines: [String] = []
        var paused = seen[screen.group]?.paused ?? []
        let before = seen[screen.group]?.screen.popup
        let isSame = before?.id == screen.popup?.id && before?.attempt == screen.popup?.attempt
        if let offered = seen[screen.group]?.screen.offered, offered.id != (screen.offered ?? screen.popup)?.id {
            let (word, why) = withdrawal(of: offered, screen)
            lines.append(line(screen.group, word, offered, why))
        }
        if let before, !isSame {
            let (word, why, isPaused) = departure(of: before, screen)
            if isPaused { paused.insert(before.id) }
            lines.append(line(screen.group, word, before, why))
        }
        if let popup = screen.popup {
            if !isSame {
                let isBack = paused.remove(popup.id) != nil
                lines.append(line(screen.group, isBack ? "back" : "shown", popup, arrival(of: popup, screen)))
            } else if before?.sinceRevision != popup.sinceRevision {
                lines.append(line(screen.group, "updated", popup, arrival(of: popup, screen)))
            }
        }
        if let offered = screen.offered, offered.id != seen[screen.group]?.screen.offered?.id {
            lines.append(line(screen.group, "offered", offered, arrival(of: offered, screen)))
        }
        if screen.popup == nil, screen.toCome == 0 { paused.removeAll() }
        seen[screen.group] = Seen(screen: screen, paused: paused)
        return lines
    }

    private func line(_ group: String, _ word: String, _ popup: Popup, _ rest: String) -> String {
        let word = word.padding(toColumns: 7)
        return ["\(group)", word, SafeText.line(popup.id), rest].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Returns how a popup left. A state carries the first event of the step that led to it, usually the end or pause
    /// of the previous popup.
    private func departure(of popup: Popup, _ screen: GroupState) -> (word: String, why: String, isPaused: Bool) {
        let cause = screen.cause
        let successor = screen.popup.map { "for \(SafeText.line($0.id))" } ?? ""
        switch cause.kind {
        case .paused where cause.popup == popup.id:
            return ("paused", successor, true)
        case .closed where cause.popup == popup.id || cause.reason == .superseded:
            let action = cause.action.isEmpty ? "" : " \(SafeText.line(cause.action))"
            return ("closed", cause.reason.name + action, false)
        default:
            return ("gone", "the message with the reason was missed", false)
        }
    }

    /// Returns what became of an offered popup that is not shown.
    private func withdrawal(of popup: Popup, _ screen: GroupState) -> (word: String, why: String) {
        let cause = screen.cause
        switch cause.kind {
        case .closed where cause.popup == popup.id || cause.reason == .superseded:
            let action = cause.action.isEmpty ? "" : " \(SafeText.line(cause.action))"
            return ("closed", cause.reason.name + action)
        default:
            return ("later", (screen.popup ?? screen.offered).map { "after \(SafeText.line($0.id))" } ?? "")
        }
    }

    private func arrival(of popup: Popup, _ screen: GroupState) -> String {
        var parts = [popup.presentation.title, popup.contentText].map(SafeText.line).filter { !$0.isEmpty }
            .joined(separator: ": ")
        parts = "\"\(parts)\""
        parts += popup.remainingMs.map { "  \(DurationText.text(.milliseconds($0)))" } ?? ""
        let actions = popup.actions.map { SafeText.line($0.id) }
        return parts + (actions.isEmpty ? "" : "  [\(actions.joined(separator: " "))]")
    }
}

extension String {
    fileprivate func padding(toColumns columns: Int) -> String { TextWidth.fit(self, columns: columns) }
}
