import ArgumentParser
import CommandNames
import Foundation
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
              0   success; `show --wait`: it was dismissed; `--expect`: by this action
              1   `show --wait` or `--expect`: the popup closed in any other way
              64  wrong arguments
              65  the broker refused the command, or no popup has the id
              66  a file cannot be read
              70  a bug of the program
              74  standard output cannot be written: the disk is full, for example
              75  the broker cannot be reached, or does not answer
              77  the broker does not accept your key, or others can read its file
              129, 130, 143
                  SIGHUP, Ctrl-C or SIGTERM ended `show --wait`; the popup is cancelled

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

    /// Returns the command of these arguments.
    ///
    /// - Throws: The error of the parser; `MisspeltOption`; `Failure` if the command lacks something.
    static func command(of arguments: [String]) async throws -> any ParsableCommand {
        let command = try await parsed(arguments)
        try (command as? any ConnectedCommand)?.checkArguments()
        return command
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let message = misspeltCommand(in: arguments) { Failure(message, .validationFailure).end() }
        for warning in BrokerEndpoints.warnings(about: ProcessInfo.processInfo.environment) {
            StandardError.write("popupctl: \(warning)")
        }
        do {
            var command = try await command(of: arguments)
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
            end(with: error)
        }
    }
}
