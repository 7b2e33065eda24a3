import ArgumentParser
import SQLiteJournal
import TerminalText

struct JournalBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a data directory, also while a broker uses it.",
        discussion: """
            The copy has the state of one moment, and is itself a data directory. To restore it, start a broker on it, or on a \
            copy of it. Exits with 65 if the journal is damaged; the copy is made nevertheless.
            """)

    @OptionGroup
    var options: DirectoryOptions

    @Option(
        help: ArgumentHelp("The new directory; it must not exist, or be empty.", valueName: "directory"),
        completion: .directory)
    var to: String

    func run() throws {
        try options.use { directory in
            let findings = try JournalInspection(directory: directory).backUp(to: DataDirectory(to))
            for finding in findings { StandardOutput.line("\(finding)") }
            guard findings.isEmpty else {
                StandardError.write("popup-broker: the copy is complete, but the journal itself is damaged")
                throw ExitCode.data
            }
            StandardOutput.line("copied to \(to), no damage found")
        }
    }
}
