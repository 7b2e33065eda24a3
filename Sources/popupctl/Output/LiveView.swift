import Foundation
import PopupClient
import Synchronization

/// Groups on a terminal, redrawn in place.
struct LiveView: Sendable {
    /// A group as it is drawn.
    struct Group: Sendable {
        var screen: GroupState?
        /// Those behind the active popup.
        var line: [PopupSummary] = []
    }

    let admin: AdminClient
    let groups: [String]
    private let state = Shared()

    /// Often enough for a countdown in tenths to look alive.
    private static let redrawInterval: Duration = .milliseconds(200)

    init(admin: AdminClient, groups: [String]) {
        self.admin = admin
        self.groups = groups
        // Named groups are drawn also while they have never shown anything.
        for group in groups where GroupName(group) != nil { state.groups.withLock { $0[group] = Group() } }
    }

    func run(_ screens: GroupStates) async throws {
        var canvas = Canvas()
        canvas.open()
        defer { canvas.close() }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await follow(screens) }
            defer { tasks.cancelAll() }
            while !Task.isCancelled {
                let size = Terminal.size
                canvas.draw(lines(at: .now, rows: size.rows), columns: size.columns)
                try? await Task.sleep(for: Self.redrawInterval)
                if let error = state.failure.withLock({ $0 }) { throw error }
            }
        }
    }

    private func follow(_ screens: GroupStates) async throws {
        do {
            for try await screen in screens {
                state.groups.withLock { groups in
                    groups[screen.group, default: Group()].screen = screen
                    if screen.toCome == 0 { groups[screen.group]?.line = [] }
                }
                guard screen.toCome > 0, let peeked = try? await admin.peek(screen.group) else { continue }
                state.groups.withLock {
                    $0[screen.group]?.line = peeked.popups.filter { $0.phase != .active && $0.phase != .offered }
                }
            }
        } catch {
            state.failure.withLock { $0 = error }
        }
    }

    func lines(at now: ContinuousClock.Instant, rows: Int) -> [String] {
        let drawing = GroupDrawing(terminal: .current, now: now)
        let endpoint = admin.connection.endpoints.egress
        let status =
            admin.connection.isConnected
            ? drawing.terminal.styled("connected to \(endpoint)", .faint)
            : drawing.terminal.styled("no broker at \(endpoint): what is below may be old", .red)
        let groups = state.groups.withLock { $0 }.sorted { $0.key < $1.key }
        var lines = [status]
        if groups.isEmpty { lines.append("no group shows anything yet") }
        // One row stays free for the cursor, one for what did not fit.
        let room = max(1, rows - 2)
        for (index, group) in groups.enumerated() {
            let drawn = drawing.lines(group.key, group.value)
            guard lines.count + drawn.count <= room else {
                lines.append(drawing.terminal.styled("… and \(groups.count - index) groups more", .faint))
                break
            }
            lines += drawn
        }
        return lines
    }

    private final class Shared: Sendable {
        let groups = Mutex<[String: Group]>([:])
        let failure = Mutex<(any Error)?>(nil)
    }
}

/// A group as lines: its name, what it shows, and the beginning of its queue.
struct GroupDrawing {
    let terminal: Terminal
    let now: ContinuousClock.Instant

    /// So many of the queue are drawn.
    private static let lineLimit = 5

    func lines(_ name: String, _ group: LiveView.Group) -> [String] {
        var lines = [""]
        let waiting = group.screen?.toCome ?? 0
        let count = waiting == 0 ? "" : terminal.styled("  \(waiting) to come", .faint)
        lines.append(terminal.styled(name, .strong) + count)
        guard let screen = group.screen, let popup = screen.popup ?? screen.offered else {
            return lines + [terminal.styled("  –", .faint)] + line(group)
        }
        let rest = screen.offered != nil ? "  offered" : screen.remaining(at: now).map { "  \(Words.time($0))" } ?? ""
        let mark = terminal.styled(screen.offered != nil ? "?" : "▶", .green)
        lines.append(
            "  \(mark) \(popup.id.onOneLine)  p\(popup.priority)\(terminal.styled(rest, .yellow))  \(popup.headline)")
        return lines + line(group)
    }

    private func line(_ group: LiveView.Group) -> [String] {
        let shown = group.line.prefix(Self.lineLimit).enumerated().map { index, popup in
            let timing = Words.timing(popup)
            let phase = [popup.phase.name, timing].filter { !$0.isEmpty }.joined(separator: " ")
            return "    \(index + 1). \(popup.id.onOneLine)  p\(popup.priority)  \(terminal.styled(phase, .cyan))"
        }
        let more = group.line.count - shown.count
        return shown + (more > 0 ? [terminal.styled("    … \(more) more", .faint)] : [])
    }
}
