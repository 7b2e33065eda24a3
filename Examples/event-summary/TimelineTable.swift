import ExampleSupport
import TerminalText

/// A timeline as text.
struct TimelineTable {
    var timeline: Timeline

    /// Returns the lines: for each group the popups that it showed, in order, and those that it never showed.
    func lines() -> [String] {
        let groups = timeline.groups.sorted { $0.key < $1.key }
        guard !groups.isEmpty else { return ["Nothing happened."] }
        var lines: [String] = []
        for (name, group) in groups {
            if !lines.isEmpty { lines.append("") }
            lines.append(SafeText.line(name))
            let rows = rows(group)
            let widths = (0..<4).map { column in rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0 }
            for row in rows {
                let cells = zip(row, widths).map { TextWidth.fit($0, columns: $1) }
                lines.append(("  " + cells.joined(separator: "  ")).trimmingSpaces)
            }
            if group.leftOut > 0 { lines.append("  … and \(group.leftOut) more") }
        }
        return lines
    }

    /// Returns a row for each popup of a group: the time, the popup, and the reasons why it came and left.
    private func rows(_ group: Timeline.Group) -> [[String]] {
        group.appearances.map { row in
            [
                "\(time(row.from)) – \(row.to.map(time) ?? "")", cut(row.popup, 28), cut(row.came, 34),
                row.to == nil ? "still on screen" : cut(row.left, 40),
            ]
        }
            + group.absences.map { row in [time(row.at), cut(row.popup, 28), "never shown", cut(row.why, 60)] }
    }

    private func time(_ milliseconds: UInt64) -> String {
        let text = TimeText.seconds(milliseconds: milliseconds - (timeline.start ?? 0))
        return String(repeating: " ", count: max(0, 6 - text.count)) + text
    }

    private func cut(_ text: String, _ columns: Int) -> String {
        let text = SafeText.line(text)
        return TextWidth.cut(text, columns: columns)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
