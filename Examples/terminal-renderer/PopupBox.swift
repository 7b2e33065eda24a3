import ExampleSupport
import PopupClient
import TerminalText

/// A popup as a box of text.
struct PopupBox {
    /// The characters that a box is drawn with.
    struct Borders: Equatable {
        var topLeft, topRight, bottomLeft, bottomRight, horizontal, vertical: String
        var full, empty, up, down: String

        static let unicode = Borders(
            topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", horizontal: "─", vertical: "│",
            full: "━", empty: "╌", up: "↑", down: "↓")
        static let ascii = Borders(
            topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", horizontal: "-", vertical: "|",
            full: "#", empty: ".", up: "^", down: "v")
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
    /// The number of the text's lines that are above the box.
    var scrolled = 0

    /// The lines of the text that have room in the box.
    struct Window: Equatable {
        var lines: [String]
        /// The number of lines above.
        var above: Int
        /// The number of lines below.
        var below: Int

        /// Creates the window over the lines that begins after `above` of them, or after the most that fill it.
        init(_ all: [String], after above: Int, room: Int) {
            self.above = room == 0 ? 0 : max(0, min(above, all.count - room))
            lines = Array(all.dropFirst(self.above).prefix(room))
            below = all.count - self.above - lines.count
        }
    }

    /// Returns the lines of the text that have room in the box: those after `scrolled` of them, or the last ones.
    func window(columns: Int, rows: Int) -> Window {
        content(columns: columns, rows: rows).body
    }

    /// Returns the lines of the box: each with exactly these columns, at most these rows. Text that does not fit ends
    /// in `…` and can be scrolled; the actions are always visible.
    func lines(columns: Int, rows: Int) -> [StyledLine] {
        precondition(columns >= Self.minimumColumns && rows >= Self.minimumRows, "no room for a box")
        let inner = columns - 4
        let (body, foot) = content(columns: columns, rows: rows)
        var lines = body.lines
        if body.below > 0, let last = lines.popLast() {
            lines.append(TextWidth.prefix(of: last, columns: inner - 1) + "…")
        }
        var content = lines.map { StyledLine(TextWidth.fit($0, columns: inner)) }
        if !foot.isEmpty, content.count + foot.count < rows - 2 {
            content.append(StyledLine(String(repeating: " ", count: inner)))
        }
        content += foot.suffix(rows - 2)
        return [top(columns)] + content.map(framed) + [bottom(columns, body)]
    }

    /// Returns what is visible of the text, and the lines beneath it. A box that has no room for any of the text gives up the
    /// blank line first, then the countdown.
    private func content(columns: Int, rows: Int) -> (body: Window, foot: [StyledLine]) {
        let inner = columns - 4
        let captions = captionLines(inner)
        let countdown = remaining.map { self.countdown($0, inner) }
        let text = SafeText.lines(popup.contentText).flatMap { TextWrap.lines($0, columns: inner) }
        var foot = (countdown.map { [$0] } ?? []) + captions
        var room = rows - 2 - foot.count
        if room < 1, !text.isEmpty {
            foot = captions
            room = rows - 2 - foot.count
        }
        // For the blank line.
        if room > 1, !foot.isEmpty { room -= 1 }
        return (Window(text, after: scrolled, room: max(0, room)), foot)
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

    /// Returns the lower border, with the number of lines to which the cursor keys lead.
    private func bottom(_ columns: Int, _ body: Window) -> StyledLine {
        var hints: [String] = []
        if body.above > 0 { hints.append("\(borders.up) \(body.above)") }
        if body.below > 0 { hints.append("\(borders.down) \(body.below)") }
        let hint = " \(hints.joined(separator: "  ")) "
        guard !body.lines.isEmpty, !hints.isEmpty, TextWidth.columns(of: hint) + 3 <= columns else {
            return StyledLine(borders.bottomLeft + rule(columns - 2) + borders.bottomRight, tint)
        }
        let width = columns - 3 - TextWidth.columns(of: hint)
        return StyledLine(borders.bottomLeft + rule(width) + hint + borders.horizontal + borders.bottomRight, tint)
    }

    private func rule(_ columns: Int) -> String {
        String(repeating: borders.horizontal, count: columns)
    }

    private func captionLines(_ columns: Int) -> [StyledLine] {
        var lines: [StyledLine] = []
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

    /// Returns the time left, after a bar if the whole time is known.
    private func countdown(_ remaining: Duration, _ columns: Int) -> StyledLine {
        let time = DurationText.text(remaining)
        let width = columns - TextWidth.columns(of: time) - 1
        guard popup.durationMs > 0, width > 0 else { return StyledLine(TextWidth.fit(time, columns: columns), .dim) }
        let part = min(1, remaining / .milliseconds(Int64(popup.durationMs)))
        let full = Int((Double(width) * part).rounded(.up))
        return StyledLine(String(repeating: borders.full, count: full), tint)
            + StyledLine(String(repeating: borders.empty, count: width - full), .dim) + StyledLine(" " + time, .dim)
    }
}
