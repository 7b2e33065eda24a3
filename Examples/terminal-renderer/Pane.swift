import ExampleSupport
import PopupClient
import TerminalText

/// The pane of one group: its state, and where it is drawn.
struct Pane {
    let group: String
    private(set) var screen: GroupState?
    /// The time when the popup was shown or last changed.
    private(set) var since: ContinuousClock.Instant?
    /// The time when the user answered it.
    var answered: ContinuousClock.Instant?
    /// The number of lines by which the user has scrolled the popup's text.
    private var scrolled = 0

    /// The time after a new popup in which a key is ignored: it was meant for the popup before.
    static let guardTime: Duration = .milliseconds(200)
    /// The time after which an answer without effect is considered lost, and may be given again.
    static let answerTime: Duration = .seconds(1)

    init(group: String) {
        self.group = group
    }

    /// The popup that the group shows or offers.
    var subject: Popup? { screen?.popup ?? screen?.offered }

    /// Handles the next state of the group.
    mutating func show(_ screen: GroupState) {
        let (old, new) = (subject, screen.popup ?? screen.offered)
        if old?.id != new?.id || old?.sinceRevision != new?.sinceRevision {
            since = screen.received
            answered = nil
            scrolled = 0
        }
        self.screen = screen
    }

    /// Scrolls the popup's text by a number of lines, up to its first and down to its last line.
    mutating func scroll(by lines: Int, in area: Area, at now: ContinuousClock.Instant) {
        scrolled = max(0, scrolled + lines)
        scrolled = window(in: area, at: now)?.above ?? 0
    }

    /// Returns the number of lines of a page of the popup's text. One line of the page before stays.
    func page(in area: Area, at now: ContinuousClock.Instant) -> Int {
        max(1, (window(in: area, at: now)?.lines.count ?? 0) - 1)
    }

    /// Whether the popup's text has lines that are not visible.
    func canScroll(in area: Area, at now: ContinuousClock.Instant) -> Bool {
        window(in: area, at: now).map { !$0.lines.isEmpty && $0.above + $0.below > 0 } ?? false
    }

    /// Returns the visible lines of the popup's text; `nil` without a box.
    private func window(in area: Area, at now: ContinuousClock.Instant) -> PopupBox.Window? {
        box(in: area, at: now, .unicode)?.window(columns: boxColumns(in: area), rows: area.rows - 1)
    }

    /// Whether a key is an answer to the popup.
    func takesKeys(at now: ContinuousClock.Instant) -> Bool {
        guard let since, since.duration(to: now) >= Self.guardTime else { return false }
        return answered.map { $0.duration(to: now) >= Self.answerTime } ?? true
    }

    /// Returns the lines of the pane, which fill its area.
    func lines(
        in area: Area, at now: ContinuousClock.Instant, hasFocus: Bool, isHidden: Bool = false,
        _ borders: PopupBox.Borders
    ) -> [StyledLine] {
        guard area.rows > 0, area.columns > 0 else { return [] }
        var lines = [heading(area.columns, hasFocus: hasFocus)]
        let room = area.rows - 1
        var box: [StyledLine] = []
        var width = 0
        if !isHidden, let popup = subject {
            if let drawn = self.box(in: area, at: now, borders) {
                width = boxColumns(in: area)
                box = drawn.lines(columns: width, rows: room)
            } else {
                let title = SafeText.line(popup.presentation.title + " " + popup.contentText)
                box = room > 0 ? [StyledLine(TextWidth.fit(title, columns: area.columns))] : []
                width = area.columns
            }
        }
        let above = spaceAbove(box.count, in: room)
        let left = (area.columns - width) / 2
        let blank = StyledLine(String(repeating: " ", count: area.columns))
        lines += Array(repeating: blank, count: above)
        lines += box.map { line in
            StyledLine(String(repeating: " ", count: left)) + line
                + StyledLine(String(repeating: " ", count: area.columns - width - left))
        }
        lines += Array(repeating: blank, count: max(0, area.rows - lines.count))
        return lines
    }

    /// Returns the box of the popup; `nil` if there is no popup, or if the area is too small for a box.
    private func box(
        in area: Area, at now: ContinuousClock.Instant, _ borders: PopupBox.Borders
    ) -> PopupBox? {
        guard let screen, let popup = subject, let keys = ActionKeys(screen),
            boxColumns(in: area) >= PopupBox.minimumColumns, area.rows - 1 >= PopupBox.minimumRows
        else { return nil }
        return PopupBox(
            popup: popup, isOffered: screen.offered != nil, remaining: screen.remaining(at: now), keys: keys,
            borders: borders, scrolled: scrolled)
    }

    private func boxColumns(in area: Area) -> Int {
        switch subject?.presentation.scene {
        case .fullScreen, .topBar: area.columns
        default: min(area.columns, PopupBox.maxColumns)
        }
    }

    private func heading(_ columns: Int, hasFocus: Bool) -> StyledLine {
        let toCome = screen?.toCome ?? 0
        let waiting = toCome > 0 ? "\(toCome) in queue " : ""
        let width = columns - TextWidth.columns(of: waiting)
        guard width > 2 else { return StyledLine(TextWidth.fit(group, columns: columns), .reversed) }
        return StyledLine(
            TextWidth.fit((hasFocus ? "> " : "  ") + group, columns: width) + waiting, hasFocus ? .reversed : .dim)
    }

    private func spaceAbove(_ height: Int, in room: Int) -> Int {
        switch subject?.presentation.scene {
        case .topBar: 0
        case .bottomSheet: max(0, room - height)
        default: max(0, (room - height) / 2)
        }
    }
}
