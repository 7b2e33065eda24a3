import PopupClient
import PopupProtocol
import TerminalText

/// Columns of text, as wide as they need to be.
struct Table {
    private let heading: [String]
    private var rows: [[String]] = []

    init(_ heading: [String]) {
        self.heading = heading
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    func lines(on terminal: Terminal) -> [String] {
        let widths = heading.indices.map { column in
            ([heading] + rows).map { TextWidth.columns(of: $0[column]) }.max() ?? 0
        }
        func line(_ row: [String]) -> String {
            let joined = zip(row, widths).map { TextWidth.fit($0, columns: $1) }.joined(separator: "  ")
            return String(joined[...(joined.lastIndex { $0 != " " } ?? joined.startIndex)])
        }
        return [terminal.styled(line(heading), .faint)] + rows.map(line)
    }

    /// Prints the table, on a terminal with the end of each line cut off where it does not fit: what the last column has
    /// there is only the rest of a content.
    func printContents() {
        for line in lines(on: .current) {
            Terminal.print(Terminal.current.isTerminal ? Canvas.cut(line, to: Terminal.size.columns) : line)
        }
    }
}

extension Table {
    /// Creates a table of popups with their groups, phases and contents; with their surfaces if one has any.
    init(of popups: [PopupSummary]) {
        let hasSurfaces = popups.contains { !$0.surface.isEmpty }
        self.init(["ID", "GROUP", "PRIORITY", "PHASE", "TIME"] + (hasSurfaces ? ["SURFACE"] : []) + ["CONTENT"])
        for popup in popups {
            let content = Words.content(title: popup.title, excerpt: popup.excerpt)
            add(
                [
                    popup.id.onOneLine, popup.group, "\(popup.priority)", popup.phase.name, Words.timing(popup),
                ] + (hasSurfaces ? [popup.surface.onOneLine] : [])
                    + [Self.cell(content)])
        }
    }

    /// Returns a text shortened to the width of a column.
    static func cell(_ text: String) -> String {
        TextWidth.cut(text, columns: contentWidth)
    }

    /// The maximum number of columns of a content.
    private static let contentWidth = 40
}
