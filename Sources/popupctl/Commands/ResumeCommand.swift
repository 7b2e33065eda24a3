import ArgumentParser
import PopupClient

struct ResumeCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Release a suspension. An unknown token changes nothing.")

    @Argument(help: "The suspension's token.")
    var token: String

    @OptionGroup var receipts: ReceiptOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func send(_ console: Console) async throws -> String {
        try await console.resume(token)
        return token
    }

    func run(_ console: Console) async throws {
        // Which groups the token holds only the broker knows.
        let seen = try await Observation(console: console).events(of: ["*"]) { _ = try await send(console) }
        if broker.json {
            for event in seen { Terminal.print(try JSON.line(event)) }
        } else {
            Terminal.print("\(token): released, if it was held")
        }
    }
}
