import ArgumentParser

struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Inspect, verify, export, copy or compact the data directory of a broker.",
        discussion: """
            All subcommands except compact also work while a broker uses the directory. Without a DIRECTORY they use the one \
            that the configuration names, or that belongs to its ingress endpoint.
            """,
        subcommands: [
            JournalInfoCommand.self, JournalVerifyCommand.self, JournalExportCommand.self, JournalBackupCommand.self,
            JournalCompactCommand.self,
        ])
}
