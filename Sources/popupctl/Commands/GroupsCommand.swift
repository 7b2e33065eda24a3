import ArgumentParser
import PopupClient
import PopupProtocol

struct GroupsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "List the known groups with the numbers of their popups.")

    @OptionGroup var target: PatternArgument

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { target.groups }

    func run(_ admin: AdminClient) async throws {
        var found: [GroupCounts] = []
        var last: String?
        while true {
            let page = try await admin.groups(of: target.pattern, after: last)
            for counts in page.groups {
                if broker.json { Terminal.print(try JSON.line(counts)) } else { found.append(counts) }
            }
            last = page.groups.last?.group
            guard page.hasMore, last != nil else { break }
        }
        if !broker.json { Table(of: found).print(orSay: "there are no groups\(Words.place(groups))") }
    }
}
