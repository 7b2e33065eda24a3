import ArgumentParser
import PopupClient
import PopupProtocol

struct SuspensionsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspensions",
        abstract: "List the suspensions in force, or those of a group: their tokens, groups, and who set them when.")

    @OptionGroup var target: PatternArgument

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { target.groups }

    func run(_ admin: AdminClient) async throws {
        let suspensions = try await admin.suspensions(for: target.pattern)
        guard !broker.json else {
            for suspension in suspensions { Terminal.print(try JSON.line(suspension)) }
            return
        }
        Table(of: suspensions).print(orSay: "there are no suspensions\(Words.place(groups))")
    }
}
