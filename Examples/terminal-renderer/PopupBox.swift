import ExampleSupport
import PopupClient

/// A popup as a box of text.
struct PopupBox {
    /// The characters that a box is drawn with.
    struct Borders: Equatable {
        var topLeft, topRight, bottomLeft, bottomRight, horizontal, vertical: String
        var full, empty: String

        static let unicode = Borders(
            topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", horizontal: "─", vertical: "│",
            full: "━", empty: "╌")
        static let ascii = Borders(
            topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-", vertical: "|",
            full: "#", empty: ".")
    }

    /// The least width of a box.
    static let minimumColumns = 14
    static let minimumRows = 3
    /// The greatest width. Wider lines are hard to read.
    static let maxColumns = 64

    var popup: Popup
    /// Whether the popup is only offered, and not shown yet.
    var isOffered = false
    /// The display time left; `nil`: until dismissed.
    var remaining: Duration?
    var keys: ActionKeys
    var borders: Borders

    /// Returns the lines of the box: each with exactly these columns, at most these rows. Text that does not fit ends
    /// in `…`; the actions are always visible.
    func lines(columns: Int, rows: Int) -> [StyledLine] {
        precondition(columns >= Self.minimumColumns && rows >= Self.minimumRows, "no room for a box")
        let inner = columns - 4
        let foot = footLines(inner)
        var body = SafeText.lines(popup.contentText).flatMap { TextWrap.lines($0, columns: inner) }
        let room = max(0, rows - 2 - foot.count - (foot.isEmpty ? 0 : 1))
        if body.count > room {
            body = Array(body.prefix(room))
            if let last = body.popLast() { body.append(TextWidth.prefix(of: last, columns: inner - 1) + "…") }
        }
        var content = body.map { StyledLine(TextWidth.fit($0, columns: inner)) }
        if !foot.isEmpty, content.count + foot.count < rows - 2 {
            content.append(StyledLine(String(repeating: " ", count: inner)))
        }
        content += foot.suffix(rows - 2)
        return [top(columns)] + content.map(framed) + [bottom(columns)]
    }

    private var tint: Style { isOffered ? .dim : .tinted(popup.presentation.style) }

    private var title: String {
        let title = SafeText.line(popup.presentation.title)
        guard isOffered else { return title }
        return title.isEmpty ? "Show this?" : "Show this? \(title)"
    }

    private func framed(_ line: StyledLine) -> StyledLine {
        StyledLine(borders.vertical + " ", tint) + line + StyledLine(" " + borders.vertical, tint)
    }

    private func top(_ columns: Int) -> StyledLine {
        guard !title.isEmpty else {
            return StyledLine(borders.topLeft + rule(columns - 2) + borders.topRight, tint)
        }
        let width = min(TextWidth.columns(of: title), columns - 6)
        return StyledLine(borders.topLeft + borders.horizontal + " ", tint)
            + StyledLine(TextWidth.fit(title, columns: width), .bold)
            + StyledLine(" " + rule(columns - 5 - width) + borders.topRight, tint)
    }

    private func bottom(_ columns: Int) -> StyledLine {
        StyledLine(borders.bottomLeft + rule(columns - 2) + borders.bottomRight, tint)
    }

    private func rule(_ columns: Int) -> String {
        String(repeating: borders.horizontal, count: columns)
    }

    private func footLines(_ columns: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
        if let remaining { lines.append(countdown(remaining, columns)) }
        var line = ""
        for caption in keys.captions {
            let caption = TextWidth.columns(of: caption) > columns ? TextWidth.fit(caption, columns: columns) : caption
            if !line.isEmpty, TextWidth.columns(of: line) + 2 + TextWidth.columns(of: caption) > columns {
                lines.append(StyledLine(TextWidth.fit(line, columns: columns), .bold))
                line = ""
            }
            line += (line.isEmpty ? "" : "  ") + caption
        }
        if !line.isEmpty { lines.append(StyledLine(TextWidth.fit(line, columns: columns), .bold)) }
        return lines
    }

    /// Returns the seconds left, after a bar if the whole time is known.
    private func countdown(_ remaining: Duration, _ columns: Int) -> StyledLine {
        let seconds = TimeText.seconds(remaining)
        let width = columns - TextWidth.columns(of: seconds) - 1
        guard popup.durationMs > 0, width > 0 else { return StyledLine(TextWidth.fit(seconds, columns: columns), .dim) }
        let part = min(1, remaining / .milliseconds(Int64(popup.durationMs)))
        let full = Int((Double(width) * part).rounded(.up))
        return StyledLine(String(repeating: borders.full, count: full), tint)
            + StyledLine(String(repeating: borders.empty, count: width - full), .dim) + StyledLine(" " + seconds, .dim)
    }
}
