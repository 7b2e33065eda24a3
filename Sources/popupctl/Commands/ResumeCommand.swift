import ArgumentParser
import PopupClient
import PopupProtocol

struct ResumeCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Release a suspension. An unknown token changes nothing.")

    @Argument(help: "The suspension's token.")
    var token: String

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        var command = WireCommand()
        command.resume.token = token
        try await Observation(console: console).apply(command)
        Terminal.print(broker.json ? try JSON.line(command) : "\(token): released, if it was held")
    }
}
