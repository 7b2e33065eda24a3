import Foundation
import PopupClient
import Synchronization
import TerminalText

/// Groups on a terminal, redrawn in place.
struct LiveView: Sendable {
    /// The drawn content of a group.
    struct Group: Sendable {
        var state: GroupState?
        /// The popups in the queue.
        var queue: [PopupSummary] = []

        /// The place of groups that neither show nor keep a popup.
        static let idleRank = 2

        /// The place among the groups: lower ones are drawn first.
        var rank: Int {
            if state?.popup != nil || state?.offered != nil { return 0 }
            return (state?.toCome ?? 0) > 0 ? 1 : Self.idleRank
        }
    }

    let admin: AdminClient
    let groups: [String]
    private let shared = Shared()

    /// The time between two drawings, short enough for a countdown.
    private static let redrawInterval: Duration = .milliseconds(200)

    init(admin: AdminClient, groups: [String]) {
        self.admin = admin
        self.groups = groups
        // Named groups are drawn also while they have never shown anything.
        for group in groups where GroupName(group) != nil { shared.groups.withLock { $0[group] = Group() } }
    }

    /// Draws until the user leaves, or the task is cancelled.
    func run(_ states: GroupStates) async throws {
        let keyboard = Keyboard()
        defer { keyboard?.close() }
        var canvas = Canvas()
        canvas.open()
        defer { canvas.close() }
        let keys = keyboard?.keys
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await follow(states) }
            if let keys { tasks.addTask { for await key in keys { shared.scroll.withLock { $0.press(key) } } } }
            defer { tasks.cancelAll() }
            while !Task.isCancelled {
                let size = Terminal.size
                canvas.draw(lines(at: .now, rows: size.rows), columns: size.columns)
                try? await Task.sleep(for: Self.redrawInterval)
                if let error = shared.failure.withLock({ $0 }) { throw error }
                if shared.scroll.withLock({ $0.isLeft }) { return }
            }
        }
    }

    private func follow(_ states: GroupStates) async throws {
        do {
            for try await state in states {
                shared.groups.withLock { groups in
                    groups[state.group, default: Group()].state = state
                    if state.toCome == 0 { groups[state.group]?.queue = [] }
                }
                guard state.toCome > 0, let peeked = try? await admin.peek(state.group) else { continue }
                shared.groups.withLock {
                    $0[state.group]?.queue = peeked.popups.filter { $0.phase != .active && $0.phase != .offered }
                }
            }
        } catch {
            shared.failure.withLock { $0 = error }
        }
    }

    func lines(at now: ContinuousClock.Instant, rows: Int) -> [String] {
        let drawing = GroupDrawing(terminal: .current, now: now)
        let endpoint = admin.connection.endpoints.egress
        let status =
            admin.connection.isConnected
            ? drawing.terminal.styled("connected to \(endpoint)", .faint)
            : drawing.terminal.styled("no broker at \(endpoint): this view may be outdated", .red)
        let content = drawing.lines(shared.groups.withLock { $0 })
        if content.isEmpty { return [status, "no group has shown a popup yet"] }
        // One row is for the status, one for the cursor, one for the keys if not all fits.
        let room = max(1, rows - 2)
        guard content.count > room else { return [status] + content }
        let seen = shared.scroll.withLock { $0.visible(of: content.count, in: room - 1) }
        let keys = "lines \(seen.lowerBound + 1)–\(seen.upperBound) of \(content.count); ↑ ↓ PgUp PgDn scroll, q quits"
        return [status] + content[seen] + [drawing.terminal.styled(drawing.terminal.characters.text(keys), .faint)]
    }

    private final class Shared: Sendable {
        let groups = Mutex<[String: Group]>([:])
        let scroll = Mutex(Scroll())
        let failure = Mutex<(any Error)?>(nil)
    }
}

/// The part of a long drawing that the user wants to see.
struct Scroll {
    private(set) var isLeft = false
    private var top = 0
    private var room = 1

    mutating func press(_ key: Key) {
        switch key {
        case .up: top -= 1
        case .down: top += 1
        case .pageUp: top -= room
        case .pageDown: top += room
        case .first: top = 0
        case .last: top = .max / 2
        case .quit: isLeft = true
        }
    }

    /// Returns the visible lines of a drawing where so many fit.
    mutating func visible(of count: Int, in room: Int) -> Range<Int> {
        self.room = max(1, room)
        top = max(0, min(top, count - self.room))
        return top..<min(count, top + self.room)
    }
}

/// The drawing of groups: those that show something first, then those with a queue, then the idle ones, a line each. Of a
/// group: its name, its active popup, and the beginning of its queue.
struct GroupDrawing {
    let terminal: Terminal
    let now: ContinuousClock.Instant

    /// The maximum number of drawn popups of the queue.
    private static let queueLimit = 5

    func lines(_ groups: [String: LiveView.Group]) -> [String] {
        let order = groups.sorted { ($0.value.rank, $0.key) < ($1.value.rank, $1.key) }
        let busy = order.prefix { $0.value.rank < LiveView.Group.idleRank }
        let idle = order.dropFirst(busy.count).map { terminal.styled("\($0.key)  \(nothing)", .faint) }
        return busy.flatMap { lines($0.key, $0.value) } + (idle.isEmpty ? [] : [""] + idle)
    }

    /// The mark of a group that shows nothing.
    private var nothing: String { terminal.characters.text("–") }

    func lines(_ name: String, _ group: LiveView.Group) -> [String] {
        var lines = [""]
        let waiting = group.state?.toCome ?? 0
        let count = waiting == 0 ? "" : terminal.styled("  \(waiting) in queue", .faint)
        lines.append(terminal.styled(name, .strong) + count)
        guard let state = group.state, let popup = state.popup ?? state.offered else {
            return lines + [terminal.styled("  \(nothing)", .faint)] + queue(group)
        }
        let rest = state.offered != nil ? "  offered" : state.remaining(at: now).map { "  \(Words.time($0))" } ?? ""
        let mark = terminal.styled(state.offered != nil ? "?" : terminal.characters.text("▶"), .green)
        let headline = terminal.characters.text(popup.headline)
        lines.append(
            "  \(mark) \(popup.id.onOneLine)  p\(popup.priority)\(terminal.styled(rest, .yellow))  \(headline)")
        return lines + queue(group)
    }

    private func queue(_ group: LiveView.Group) -> [String] {
        let shown = group.queue.prefix(Self.queueLimit).enumerated().map { index, popup in
            let timing = Words.timing(popup)
            let words = terminal.characters.text(Words.content(title: popup.title, excerpt: popup.excerpt))
            let content = words.isEmpty ? "" : "  \(words)"
            let phase = [popup.phase.name, timing].filter { !$0.isEmpty }.joined(separator: " ")
            return
                "    \(index + 1). \(popup.id.onOneLine)  p\(popup.priority)  \(terminal.styled(phase, .cyan))\(content)"
        }
        let more = group.queue.count - shown.count
        return shown + (more > 0 ? [terminal.styled("    \(terminal.characters.ellipsis) \(more) more", .faint)] : [])
    }
}
