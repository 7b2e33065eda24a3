import ExampleSupport
import PopupClient
import TerminalText

/// The terminal with the panes of its groups.
actor Stage {
    private let terminal: Terminal
    private let renderers: [Renderer]
    private let arrangement: Arrangement
    private let borders: PopupBox.Borders
    private let tail: LogTail?
    private var panes: [Pane]
    private var focus = 0
    /// Whether the user has hidden the panes.
    private var isHidden = false
    private let hidesWithoutFocus: Bool
    private var canvas: Canvas
    private var notice = ""
    /// The sentence about a broker that is gone; `nil` if it is there.
    private var outage: String?
    /// The greatest number of rows of a sentence in the status.
    private static let maxSentenceRows = 3

    init(
        _ terminal: Terminal, _ screens: [GroupScreen], arrangement: Arrangement,
        characters: BorderSet, isColoured: Bool, hidesWithoutFocus: Bool, tail: LogTail?
    ) {
        self.terminal = terminal
        renderers = screens.map(\.renderer)
        self.arrangement = arrangement
        borders = characters.borders
        self.tail = tail
        self.hidesWithoutFocus = hidesWithoutFocus
        panes = screens.map { Pane(group: $0.group) }
        canvas = Canvas(isColoured: isColoured, isASCII: characters == .ascii)
    }

    /// Handles the next state of a group.
    func show(_ screen: GroupState) {
        guard let index = panes.firstIndex(where: { $0.group == screen.group }) else { return }
        panes[index].show(screen)
        // The focus moves to a pane with a popup to answer.
        if panes[focus].subject == nil, panes[index].subject != nil { focus = index }
        draw()
    }

    /// Handles keys.
    ///
    /// - Returns: Whether the user wants to quit.
    func press(_ keys: [Key]) async -> Bool {
        for key in keys {
            switch key {
            case .interrupt, .character("q"): return true
            case .tab: focus = (focus + 1) % panes.count
            case .up: scroll(by: -1)
            case .down: scroll(by: 1)
            case .pageUp: scroll(by: -page)
            case .pageDown: scroll(by: page)
            case .character("h"): hide(!isHidden)
            case .focusLost: if hidesWithoutFocus { hide(true) }
            case .focusGained: if hidesWithoutFocus { hide(false) }
            default: await answer(key)
            }
        }
        draw()
        return false
    }

    /// Shows in the status line that the broker is gone; `nil`: it is back.
    func report(outage: String?) {
        self.outage = outage
        draw()
    }

    /// Handles a change of the terminal's size.
    func resize() {
        canvas.invalidate()
        draw()
    }

    /// Draws what has changed since the last time, including the countdowns.
    func draw() {
        terminal.write(canvas.draw(rows(at: .now)))
    }

    /// Reports hidden popups as hidden. If a policy counts only visible time, their display time stops.
    private func hide(_ isHidden: Bool) {
        self.isHidden = isHidden
        for renderer in renderers { renderer.setVisible(!isHidden) }
    }

    private func scroll(by lines: Int) {
        guard !isHidden else { return }
        panes[focus].scroll(by: lines, in: layout(of: terminal.size).panes[focus], at: .now)
    }

    /// The number of lines by which Page Up and Page Down scroll the text in the pane with the focus.
    private var page: Int { panes[focus].page(in: layout(of: terminal.size).panes[focus], at: .now) }

    private func layout(of size: (columns: Int, rows: Int)) -> PaneLayout {
        PaneLayout(
            columns: size.columns, rows: size.rows, panes: panes.count, arrangement: arrangement, hasTail: tail != nil,
            statusRows: 1 + sentence(columns: size.columns).count)
    }

    /// Returns what there is to say above the keys: an outage, or why an answer failed.
    private func sentence(columns: Int) -> [String] {
        let words = SafeText.line(outage ?? notice)
        guard !words.isEmpty else { return [] }
        return Array(TextWrap.lines(words, columns: max(2, columns - 2)).prefix(Self.maxSentenceRows))
    }

    private func answer(_ key: Key) async {
        let now = ContinuousClock.now
        guard !isHidden, let screen = panes[focus].screen, panes[focus].takesKeys(at: now),
            let action = ActionKeys(screen)?.action(for: key)
        else { return }
        panes[focus].answered = now
        do {
            if screen.offered != nil, let word = OfferWord(rawValue: action) {
                try await renderers[focus].answer(word, screen)
            } else {
                try await renderers[focus].dismiss(screen, action: action)
            }
            notice = ""
        } catch {
            notice = "\(error)"
        }
    }

    private func rows(at now: ContinuousClock.Instant) -> [[Canvas.Piece]] {
        let size = terminal.size
        let layout = layout(of: size)
        var rows = Array(repeating: [Canvas.Piece](), count: size.rows)
        for (index, area) in layout.panes.enumerated() {
            let lines = panes[index].lines(in: area, at: now, hasFocus: index == focus, isHidden: isHidden, borders)
            for (offset, line) in lines.enumerated() where area.row + offset < size.rows {
                rows[area.row + offset].append(Canvas.Piece(column: area.column, line: line))
            }
        }
        if let area = layout.tail, let tail { draw(tail, in: area, &rows) }
        let next = panes.count > 1 ? " [Tab] next screen  " : ""
        let canScroll = !isHidden && panes[focus].canScroll(in: layout.panes[focus], at: now)
        let scroll = canScroll ? " [PgUp] [PgDn] scroll  " : ""
        let keys = isHidden ? " hidden: [h] show again   [q] quit" : next + scroll + " [h] hide   [q] quit"
        let sentence = sentence(columns: size.columns).map { (" " + $0, outage == nil ? Style.dim : .reversed) }
        for (offset, (text, style)) in (sentence + [(keys, .dim)]).suffix(layout.status.rows).enumerated() {
            rows[layout.status.row + offset] = [
                Canvas.Piece(column: 0, line: StyledLine(TextWidth.fit(text, columns: size.columns), style))
            ]
        }
        return rows
    }

    private func draw(_ tail: LogTail, in area: Area, _ rows: inout [[Canvas.Piece]]) {
        let rule = String(repeating: borders.horizontal, count: area.columns)
        rows[area.row] = [Canvas.Piece(column: 0, line: StyledLine(rule, .dim))]
        let lines = tail.lines(area.rows - 1)
        for offset in 1..<area.rows {
            let text = offset <= lines.count ? lines[offset - 1] : ""
            rows[area.row + offset] = [
                Canvas.Piece(column: 0, line: StyledLine(TextWidth.fit(text, columns: area.columns), .dim))
            ]
        }
    }
}
