import Foundation
import PopupClient
import Synchronization

/// Groups on a terminal, redrawn in place.
struct LiveView: Sendable {
    /// The drawn content of a group.
    struct Group: Sendable {
        var state: GroupState?
        /// The popups in the queue.
        var queue: [PopupSummary] = []
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

    func run(_ states: GroupStates) async throws {
        var canvas = Canvas()
        canvas.open()
        defer { canvas.close() }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await follow(states) }
            defer { tasks.cancelAll() }
            while !Task.isCancelled {
                let size = Terminal.size
                canvas.draw(lines(at: .now, rows: size.rows), columns: size.columns)
                try? await Task.sleep(for: Self.redrawInterval)
                if let error = shared.failure.withLock({ $0 }) { throw error }
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
        let groups = shared.groups.withLock { $0 }.sorted { $0.key < $1.key }
        var lines = [status]
        if groups.isEmpty { lines.append("no group has shown a popup yet") }
        // One row is for the cursor, one for the number of groups that do not fit.
        let room = max(1, rows - 2)
        for (index, group) in groups.enumerated() {
            let drawn = drawing.lines(group.key, group.value)
            guard lines.count + drawn.count <= room else {
                lines.append(drawing.terminal.styled("… and \(groups.count - index) more groups", .faint))
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

/// The drawing of a group: its name, its active popup, and the beginning of its queue.
struct GroupDrawing {
    let terminal: Terminal
    let now: ContinuousClock.Instant

    /// The maximum number of drawn popups of the queue.
    private static let queueLimit = 5

    func lines(_ name: String, _ group: LiveView.Group) -> [String] {
        var lines = [""]
        let waiting = group.state?.toCome ?? 0
        let count = waiting == 0 ? "" : terminal.styled("  \(waiting) in queue", .faint)
        lines.append(terminal.styled(name, .strong) + count)
        guard let state = group.state, let popup = state.popup ?? state.offered else {
            return lines + [terminal.styled("  –", .faint)] + queue(group)
        }
        let rest = state.offered != nil ? "  offered" : state.remaining(at: now).map { "  \(Words.time($0))" } ?? ""
        let mark = terminal.styled(state.offered != nil ? "?" : "▶", .green)
        lines.append(
            "  \(mark) \(popup.id.onOneLine)  p\(popup.priority)\(terminal.styled(rest, .yellow))  \(popup.headline)")
        return lines + queue(group)
    }

    private func queue(_ group: LiveView.Group) -> [String] {
        let shown = group.queue.prefix(Self.queueLimit).enumerated().map { index, popup in
            let timing = Words.timing(popup)
            let phase = [popup.phase.name, timing].filter { !$0.isEmpty }.joined(separator: " ")
            return "    \(index + 1). \(popup.id.onOneLine)  p\(popup.priority)  \(terminal.styled(phase, .cyan))"
        }
        let more = group.queue.count - shown.count
        return shown + (more > 0 ? [terminal.styled("    … \(more) more", .faint)] : [])
    }
}
