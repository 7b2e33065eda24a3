import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

struct RenderersCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "renderers",
        abstract: "List the renderers with a lease, and what they display.")

    @Argument(
        help: "A group or a pattern (store-12/*, *); all groups without one.", completion: BrokerCompletion.groups)
    var group: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { group.map { [$0] } ?? [] }

    func run(_ admin: AdminClient) async throws {
        var table = Table(["CLIENT", "GROUPS", "DISPLAYS", "LAST SEEN"])
        var last: String?
        while true {
            let page = try await admin.renderers(of: group, after: last)
            for renderer in page.renderers {
                if broker.json { Terminal.print(try JSON.line(renderer)) } else { table.add(row(of: renderer)) }
            }
            last = page.renderers.last?.client
            guard page.hasMore, last != nil else { break }
        }
        if !broker.json { table.lines(on: .current).forEach(Terminal.print) }
    }

    private func row(of renderer: RendererSummary) -> [String] {
        let displays = renderer.displays.map { "\($0.id.onOneLine)\($0.visible ? "" : " (hidden)")" }
        return [
            renderer.client, Table.cell(renderer.groups.joined(separator: ", ")),
            Table.cell(displays.joined(separator: ", ")), "\(Words.time(milliseconds: renderer.silentMs)) ago",
        ]
    }
}
