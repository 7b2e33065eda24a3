import PopupClient
import PopupProtocol
import TerminalText

/// Columns of text, as wide as they need to be. Where they do not fit a terminal, the last ones go on lines below, and
/// only texts for people are cut.
struct Table {
    private let heading: [String]
    private var rows: [[String]] = []

    /// The columns whose texts may be cut: none of them has a word that a command takes.
    private static let texts: Set = ["CONTENT", "GROUPS", "DISPLAYS"]
    /// The least width of a content beside other columns.
    private static let leastContent = 20
    private static let gap = "  "

    init(_ heading: [String]) {
        self.heading = heading
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// Returns the lines: those of the heading, then those of the rows.
    func lines(on terminal: Terminal, columns: Int = .max) -> [String] {
        entries(on: terminal, columns: columns).flatMap(\.self)
    }

    /// Returns the lines of the heading, and then those of each row.
    func entries(on terminal: Terminal, columns: Int) -> [[String]] {
        var table = self
        // The width is that of the characters that the terminal has. Words that a command takes stay as they are.
        if let content = heading.firstIndex(of: "CONTENT") {
            for row in rows.indices { table.rows[row][content] = terminal.characters.text(rows[row][content]) }
        }
        let bands = table.bands(columns)
        let ellipsis = terminal.characters.ellipsis
        return [Self.lines(heading, bands, ellipsis).map { terminal.styled($0, .faint) }]
            + table.rows.map { Self.lines($0, bands, ellipsis) }
    }

    /// Prints the table: on a terminal as wide as that is, otherwise with nothing cut. Instead of an empty one, a terminal
    /// gets a sentence; a program gets the heading.
    ///
    /// - Parameter nothing: The sentence about an empty table.
    func print(orSay nothing: String) {
        let terminal = Terminal.current
        if rows.isEmpty, terminal.isTerminal { return Terminal.print(nothing) }
        lines(on: terminal, columns: terminal.isTerminal ? Terminal.size.columns : .max).forEach(Terminal.print)
    }

    /// Some columns with their widths, which have one line of each row.
    private typealias Band = [(column: Int, width: Int)]

    /// Returns the columns of each line of a row.
    private func bands(_ columns: Int) -> [Band] {
        var bands: [Band] = [[]]
        var used = 0
        for (column, name) in heading.enumerated() {
            let isText = Self.texts.contains(name)
            var width = ([heading] + rows).map { TextWidth.columns(of: $0[column]) }.max() ?? 0
            let least = name == "CONTENT" ? min(width, Self.leastContent) : width
            if used > 0, least > columns - used - Self.gap.count {
                bands.append([])
                used = 0
            }
            // Each line after the first begins with a gap, too.
            let begin = used > 0 || bands.count > 1 ? used + Self.gap.count : 0
            if isText { width = min(width, max(1, columns - begin)) }
            bands[bands.count - 1].append((column, width))
            used = begin + width
        }
        return bands
    }

    /// Returns the lines of a row; no line for columns in which it has nothing.
    private static func lines(_ row: [String], _ bands: [Band], _ ellipsis: String) -> [String] {
        bands.enumerated().compactMap { index, band -> String? in
            let joined = band.map { TextWidth.fit(row[$0.column], columns: $0.width, ellipsis: ellipsis) }
                .joined(separator: gap)
            guard let end = joined.lastIndex(where: { $0 != " " }) else { return index == 0 ? "" : nil }
            return (index == 0 ? "" : gap) + joined[...end]
        }
    }
}

extension Table {
    /// Creates a table of popups with their groups, phases and contents; with their surfaces if one has any.
    init(of popups: [PopupSummary]) {
        let hasSurfaces = popups.contains { !$0.surface.isEmpty }
        self.init(["ID", "GROUP", "PRIORITY", "PHASE", "TIME"] + (hasSurfaces ? ["SURFACE"] : []) + ["CONTENT"])
        for popup in popups {
            add(
                [
                    popup.id.onOneLine, popup.group, "\(popup.priority)", popup.phase.name, Words.timing(popup),
                ] + (hasSurfaces ? [popup.surface.onOneLine] : [])
                    + [Words.content(title: popup.title, excerpt: popup.excerpt)])
        }
    }
}
