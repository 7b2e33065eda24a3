import ArgumentParser
import PopupProtocol

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

    /// Returns the message that the first argument is not a command, with the nearest one; `nil` if it is one or an
    /// option.
    static func misspeltCommand(in arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return nil }
        let names = configuration.subcommands.map { $0._commandName }
        guard !names.contains(word) else { return nil }
        return "there is no command `\(word)`; \(Suggestion.advice(for: word, among: names))"
    }

    static func main() async {
        if let message = misspeltCommand(in: Array(CommandLine.arguments.dropFirst())) {
            StandardError.write("popup-broker: \(message)")
            exit(withError: ExitCode.validationFailure)
        }
        await main(nil)
    }
}
