import ArgumentParser
import PopupClient

struct DismissCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss",
        abstract: "Close a popup with the action of the user.")

    @Argument(help: "The popup.", completion: BrokerCompletion.popups)
    var id: String

    @Argument(help: "What the user did (ok, confirm, cancel, ...).")
    var action: String = ""

    @Option(help: "The revision that it answers; refused as STALE if the popup has changed since.")
    var revision: UInt64?

    @Option(help: "The renderer for which it counts towards the quorum; without it, the popup closes at once.")
    var client: ClientArgument?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.dismiss(id, action: action, revision: revision, client: client?.token)
        return id
    }

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        try await printOutcome(of: id, admin) { "\(id): \(Words.explanation($0))" }
    }
}
