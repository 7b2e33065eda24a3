import ArgumentParser
import PopupClient

struct WhoamiCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Print who you are to the broker, and what you may do.")

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let identity = try await admin.whoami()
        guard !broker.json else { return Terminal.print(try JSON.line(identity)) }
        for line in WhoamiLines(identity: identity).lines { Terminal.print(line) }
    }
}
