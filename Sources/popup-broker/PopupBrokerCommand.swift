import ArgumentParser
import CommandNames

/// The program `popup-broker`: the broker, and tools for its configuration, keys, policies and data.
@main
struct PopupBrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popup-broker",
        abstract: "A broker for popups: producers request them, at most one per group is active, renderers show it.",
        version: VersionCommand.text,
        subcommands: [
            RunCommand.self, CheckConfigCommand.self, SimulateCommand.self, JournalCommand.self, KeysCommand.self,
            VersionCommand.self,
        ])

    static func main() async {
        if let message = misspeltCommand(in: Array(CommandLine.arguments.dropFirst())) {
            StandardError.write("popup-broker: \(message)")
            exit(withError: ExitCode.validationFailure)
        }
        await main(nil)
    }
}
