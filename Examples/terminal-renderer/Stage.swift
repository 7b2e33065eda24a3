import ExampleSupport
import PopupClient

/// The terminal with the screens of its groups.
actor Stage {
    private let terminal: Terminal
    private let renderers: [Renderer]
    private let arrangement: Arrangement
    private let borders: PopupBox.Borders
    private let tail: LogTail?
    private var panes: [Pane]
    private var focus = 0
    private var canvas: Canvas
    private var notice = ""

    init(
        _ terminal: Terminal, _ screens: [GroupScreen], arrangement: Arrangement,
        borders: PopupBox.Borders, isColoured: Bool, tail: LogTail?
    ) {
        self.terminal = terminal
        renderers = screens.map(\.renderer)
        self.arrangement = arrangement
        self.borders = borders
        self.tail = tail
        panes = screens.map { Pane(group: $0.group) }
        canvas = Canvas(isColoured: isColoured)
    }

    /// A group shows something else.
    func show(_ screen: Screen) {
        guard let index = panes.firstIndex(where: { $0.group == screen.group }) else { return }
        panes[index].show(screen)
        // The person's keys go where there is something to answer.
        if panes[focus].screen?.popup == nil, screen.popup != nil { focus = index }
        draw()
    }

    /// The person pressed keys.
    ///
    /// - Returns: whether they want to leave.
    func press(_ keys: [Key]) async -> Bool {
        for key in keys {
            switch key {
            case .interrupt, .character("q"): return true
            case .tab: focus = (focus + 1) % panes.count
            default: await answer(key)
            }
        }
        draw()
        return false
    }

    /// Tells something in the status line.
    func tell(_ text: String) {
        notice = text
        draw()
    }

    /// The terminal has another size.
    func resize() {
        canvas.invalidate()
        draw()
    }

    /// Draws what has changed since the last time: the countdowns, too.
    func draw() {
        terminal.write(canvas.draw(rows(at: .now)))
    }

    private func answer(_ key: Key) async {
        let now = ContinuousClock.now
        guard let screen = panes[focus].screen, let popup = screen.popup, panes[focus].takesKeys(at: now),
            let action = ActionKeys(popup).action(for: key)
        else { return }
        panes[focus].answered = now
        do {
            try await renderers[focus].dismiss(screen, action: action)
            notice = ""
        } catch {
            notice = "\(error)"
        }
    }

    private func rows(at now: ContinuousClock.Instant) -> [[Canvas.Piece]] {
        let size = terminal.size
        let layout = PaneLayout(
            columns: size.columns, rows: size.rows, panes: panes.count, arrangement: arrangement, hasTail: tail != nil)
        var rows = Array(repeating: [Canvas.Piece](), count: size.rows)
        for (index, area) in layout.panes.enumerated() {
            let lines = panes[index].lines(in: area, at: now, hasFocus: index == focus, borders)
            for (offset, line) in lines.enumerated() where area.row + offset < size.rows {
                rows[area.row + offset].append(Canvas.Piece(column: area.column, line: line))
            }
        }
        if let area = layout.tail, let tail { draw(tail, in: area, &rows) }
        let status = notice.isEmpty ? " [Tab] next screen   [q] quit" : " " + SafeText.line(notice)
        rows[layout.status.row] = [
            Canvas.Piece(column: 0, line: StyledLine(TextWidth.fit(status, columns: size.columns), .dim))
        ]
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
