import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

/// The program `popupctl`: an administration client for the shell.
@main
struct PopupCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popupctl",
        abstract: "Show popups, follow them, and control a popup broker.",
        discussion: """
            Exit codes:
              0   success; with `show --wait`: the popup was dismissed, with `--expect`: by this action
              1   with `show --wait` or `--expect`: the popup closed in any other way
              64  wrong arguments
              65  the broker refused the command, or no popup has the id
              66  a file cannot be read
              70  a bug of the program
              75  the broker cannot be reached, or does not answer
              77  the broker does not accept your key, or others can read its file
              130, 143  `show --wait` was interrupted (Ctrl-C, SIGTERM); the popup is withdrawn

            Shell completions: popupctl --generate-completion-script bash (or zsh, fish).
            """,
        version: PopupCtl.versionText,
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Popups:",
                subcommands: [
                    ShowCommand.self, UpdateCommand.self, DismissCommand.self, AdvanceCommand.self, ClearCommand.self,
                ]),
            CommandGroup(name: "As a renderer:", subcommands: [AnswerCommand.self, ReportCommand.self]),
            CommandGroup(name: "Pages and sessions:", subcommands: [PageCommand.self, SessionCommand.self]),
            CommandGroup(
                name: "Inspection:",
                subcommands: [
                    WatchCommand.self, EventsCommand.self, ListCommand.self, CountCommand.self, PeekCommand.self,
                    ExplainCommand.self, HistoryCommand.self, GroupsCommand.self, SuspensionsCommand.self,
                    RenderersCommand.self, ProducersCommand.self, StatsCommand.self, WhoamiCommand.self,
                    PingCommand.self, TopCommand.self,
                ]),
            CommandGroup(
                name: "Rules:", subcommands: [PolicyCommand.self, SuspendCommand.self, ResumeCommand.self]),
        ])

    private static let versionText = ProductVersion.text(of: "popupctl")

    /// Returns the failure that a word is where a command is expected, but is not one; `nil` if there is none.
    static func misspeltCommand(in arguments: [String]) -> Failure? {
        // An option before the command has a value: `--generate-completion-script bash`.
        guard arguments.first?.hasPrefix("-") != true else { return nil }
        var command: any ParsableCommand.Type = Self.self
        var path: [String] = []
        for word in arguments where !word.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word != "help" else { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                let words = (path + [word]).joined(separator: " ").onOneLine
                let meant = Suggestion.nearest(to: word, among: commands.map { $0._commandName })
                let names = commands.map { "`\($0._commandName)`" }.joined(separator: ", ")
                let advice =
                    meant.map { "did you mean `\($0)`?" }
                    ?? path.last.map { "`popupctl \($0)` has \(names)" } ?? "see `popupctl --help`"
                return Failure("there is no command `\(words)`; \(advice)", .validationFailure)
            }
            command = next
            path.append(word)
        }
        return nil
    }

    static func main() async {
        misspeltCommand(in: Array(CommandLine.arguments.dropFirst()))?.end()
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            failure.end()
        } catch let error as ClientError {
            Failure(error).end()
        } catch let error as ShardDirectoryError {
            Failure(error).end()
        } catch {
            exit(withError: error)
        }
    }
}
