import ExampleSupport
import PopupClient

/// The screen of one group: what it shows, and where it draws it.
struct Pane {
    let group: String
    private(set) var screen: GroupState?
    /// When what the screen shows came, or was changed.
    private(set) var since: ContinuousClock.Instant?
    /// When the person answered it.
    var answered: ContinuousClock.Instant?

    /// A key that comes so soon after a popup was meant for what was there before.
    static let guardTime: Duration = .milliseconds(200)
    /// An answer that has had no effect for so long is lost, and may be given again.
    static let answerTime: Duration = .seconds(1)

    init(group: String) {
        self.group = group
    }

    /// What the screen shows, or asks whether to show.
    var subject: Popup? { screen?.popup ?? screen?.offered }

    /// The group shows something else, or the same again.
    mutating func show(_ screen: GroupState) {
        let (old, new) = (subject, screen.popup ?? screen.offered)
        if old?.id != new?.id || old?.sinceRevision != new?.sinceRevision {
            since = screen.received
            answered = nil
        }
        self.screen = screen
    }

    /// Whether a key is an answer to what the screen shows.
    func takesKeys(at now: ContinuousClock.Instant) -> Bool {
        guard let since, since.duration(to: now) >= Self.guardTime else { return false }
        return answered.map { $0.duration(to: now) >= Self.answerTime } ?? true
    }

    /// The pane's lines, as many and as wide as its area.
    func lines(
        in area: Area, at now: ContinuousClock.Instant, hasFocus: Bool, isHidden: Bool = false,
        _ borders: PopupBox.Borders
    ) -> [StyledLine] {
        guard area.rows > 0, area.columns > 0 else { return [] }
        var lines = [heading(area.columns, hasFocus: hasFocus)]
        let room = area.rows - 1
        var box: [StyledLine] = []
        var width = 0
        let screen = isHidden ? nil : screen
        if let screen, let popup = subject, let keys = ActionKeys(screen) {
            let fills = popup.presentation.scene == .fullScreen || popup.presentation.scene == .topBar
            width = fills ? area.columns : min(area.columns, PopupBox.maxColumns)
            if width >= PopupBox.minimumColumns, room >= PopupBox.minimumRows {
                box = PopupBox(
                    popup: popup, isOffered: screen.offered != nil, remaining: screen.remaining(at: now), keys: keys,
                    borders: borders
                ).lines(columns: width, rows: room)
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
