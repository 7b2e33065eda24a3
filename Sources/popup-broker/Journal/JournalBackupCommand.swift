import ArgumentParser
import SQLiteJournal

struct JournalBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a data directory, also while a broker writes it.",
        discussion: """
            The copy is whole as of one moment, and a data directory like any other: to restore it, start a broker on it, or on \
            a copy of it.
            """)

    @OptionGroup
    var options: FolderOptions

    @Option(
        help: ArgumentHelp("A folder that isn't there yet, or is empty.", valueName: "folder"), completion: .directory)
    var to: String

    func run() throws {
        try options.use { folder in
            let findings = try JournalInspection(folder: folder).backUp(to: DataDirectory(to))
            for finding in findings { print(finding) }
            guard findings.isEmpty else {
                StandardError.write("popup-broker: copied as it is: the journal itself is damaged")
                throw ExitCode.data
            }
        }
    }
}
