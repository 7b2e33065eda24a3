import ArgumentParser

/// The program: a broker for popups, and what helps to set one up.
@main
struct PopupBrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popup-broker",
        abstract: "A broker for popups: producers ask, one popup a group is active, renderers show it.",
        version: VersionCommand.text,
        subcommands: [
            RunCommand.self, CheckConfigCommand.self, SimulateCommand.self, JournalCommand.self, VersionCommand.self,
        ])
}
