import ArgumentParser
import PopupClient

/// The console of a broker.
@main
struct PopupCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popupctl",
        abstract: "Ask a popup broker for popups, look at them, and control it.",
        discussion: """
            Exit codes:
              0   done; with `show --wait`: the popup was dismissed
              1   with `show --wait`: the popup closed in any other way
              64  called wrongly
              65  the broker refused the command, or there is no such popup
              66  a file cannot be read
              70  a fault of the program
              75  the broker cannot be reached, or does not answer

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
            CommandGroup(name: "In a renderer's place:", subcommands: [AnswerCommand.self, ReportCommand.self]),
            CommandGroup(name: "Pages and sessions:", subcommands: [PageCommand.self, SessionCommand.self]),
            CommandGroup(
                name: "Looking:",
                subcommands: [
                    WatchCommand.self, EventsCommand.self, ListCommand.self, CountCommand.self, PeekCommand.self,
                    ExplainCommand.self, StatsCommand.self,
                ]),
            CommandGroup(
                name: "Rules:", subcommands: [PolicyCommand.self, SuspendCommand.self, ResumeCommand.self]),
        ])

    private static let versionText = "popupctl, protocol version \(ProtocolVersion.current)"

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            failure.end()
        } catch let error as ClientError {
            Failure(error).end()
        } catch {
            exit(withError: error)
        }
    }
}
