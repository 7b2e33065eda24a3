import ArgumentParser
import PopupClient

struct ResumeCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Release a suspension. An unknown token changes nothing.")

    @Argument(help: "The suspension's token.")
    var token: String

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.resume(token)
        return token
    }

    func run(_ admin: AdminClient) async throws {
        // Which groups the token holds only the broker knows.
        let seen = try await Observation(admin: admin).events(of: ["*"]) { _ = try await send(admin) }
        if broker.json {
            for event in seen { Terminal.print(try JSON.line(event)) }
        } else {
            Terminal.print("\(token): released, if it was held")
        }
    }
}
