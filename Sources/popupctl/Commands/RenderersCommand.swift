import ArgumentParser
import PopupClient
import PopupProtocol

struct RenderersCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "renderers",
        abstract: "List the renderers with a lease, and what they display.")

    @OptionGroup var target: PatternArgument

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { target.groups }

    func run(_ admin: AdminClient) async throws {
        var found: [RendererSummary] = []
        var last: String?
        while true {
            let page = try await admin.renderers(of: target.pattern, after: last)
            for renderer in page.renderers {
                if broker.json { Terminal.print(try JSON.line(renderer)) } else { found.append(renderer) }
            }
            last = page.renderers.last?.client
            guard page.hasMore, last != nil else { break }
        }
        if !broker.json { Table(of: found).print(orSay: "there are no renderers\(Words.place(groups))") }
    }
}
