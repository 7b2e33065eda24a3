import ArgumentParser
import Foundation
import PopupClient

struct TopCommand: ConnectedCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch what the broker does: its rates, and its live popups.",
        discussion: """
            On a terminal it draws a table once a second, until q or Ctrl-C. Otherwise, also if TERM is dumb or empty, \
            it prints one table after a second, and ends. For scripts, `popupctl stats --json` prints the numbers.
            """)

    @OptionGroup(title: "Broker") var connection: ConnectionOptions

    func run(_ admin: AdminClient) async throws {
        var table = TopTable(stats: try await admin.statistics(), at: .now)
        guard Terminal.current.canRedraw else {
            try await Task.sleep(for: Self.interval)
            try await Self.update(&table, from: admin)
            return table.lines(on: .current, endpoint: admin.connection.endpoints.egress, rows: .max).forEach(
                Terminal.print)
        }
        let keyboard = Keyboard()
        defer { keyboard?.close() }
        let interrupts = Interrupts()
        defer { withExtendedLifetime(interrupts) {} }
        let (keys, interrupted, first) = (keyboard?.keys, interrupts.stream, table)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await draw(first, admin) }
            tasks.addTask { for await _ in interrupted { return } }
            if let keys { tasks.addTask { _ = await keys.first { $0 == .quit } } }
            try await tasks.next()
            tasks.cancelAll()
        }
    }

    private func draw(_ first: TopTable, _ admin: AdminClient) async throws {
        var table = first
        var canvas = Canvas()
        canvas.open()
        defer { canvas.close() }
        while !Task.isCancelled {
            let size = Terminal.size
            // One row is for the cursor.
            let lines = table.lines(
                on: .current, endpoint: admin.connection.endpoints.egress, columns: size.columns, rows: size.rows - 1)
            canvas.draw(lines, columns: size.columns)
            try? await Task.sleep(for: Self.interval)
            do {
                try await Self.update(&table, from: admin)
            } catch let error as ClientError {
                switch error {
                case .noReply, .notConnected, .sendTimedOut: table.isOutdated = true
                default: throw error
                }
            }
        }
    }

    private static func update(_ table: inout TopTable, from admin: AdminClient) async throws {
        let stats = try await admin.statistics()
        let list = try await admin.list()
        table.update(stats, popups: list.popups, isTruncated: list.truncated, at: .now)
    }

    private static let interval: Duration = .seconds(1)
}
