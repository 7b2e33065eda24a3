import ArgumentParser

struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Look after the data directory of a broker.",
        discussion: """
            All but compact also work beside a running broker. Without a FOLDER it is the one that the configuration \
            names, or that belongs to its ingress endpoint.
            """,
        subcommands: [
            JournalInfoCommand.self, JournalVerifyCommand.self, JournalExportCommand.self, JournalBackupCommand.self,
            JournalCompactCommand.self,
        ])
}
