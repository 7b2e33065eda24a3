import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

struct GroupsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "List the known groups with the numbers of their popups.")

    @Argument(
        help: "A group or a pattern (store-12/*, *); all groups without one.", completion: BrokerCompletion.groups)
    var group: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { group.map { [$0] } ?? [] }

    func run(_ admin: AdminClient) async throws {
        var table = Table(["GROUP", "ACTIVE", "WAITING", "PAUSED", "DELAYED", "SESSION"])
        var last: String?
        while true {
            let page = try await admin.groups(of: group, after: last)
            for counts in page.groups {
                if broker.json { Terminal.print(try JSON.line(counts)) } else { table.add(row(of: counts)) }
            }
            last = page.groups.last?.group
            guard page.hasMore, last != nil else { break }
        }
        if !broker.json { table.lines(on: .current).forEach(Terminal.print) }
    }

    private func row(of counts: GroupCounts) -> [String] {
        [
            counts.group, counts.active.onOneLine + (counts.offered ? " (offered)" : ""), "\(counts.waiting)",
            "\(counts.paused)", "\(counts.delayed)", counts.session.onOneLine,
        ]
    }
}
