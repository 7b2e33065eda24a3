import ArgumentParser
import SQLiteJournal
import TerminalText

struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything in a data directory and check it.",
        discussion: "Exits with 65 if something is damaged or missing. Changes nothing.")

    @OptionGroup
    var options: DirectoryOptions

    func run() throws {
        try options.use { directory in
            let findings = try JournalInspection(directory: directory).verify()
            for finding in findings { StandardOutput.line("\(finding)") }
            guard findings.isEmpty else {
                StandardError.write(
                    "popup-broker: the journal is damaged; a broker recovers what is intact when it starts, the rest is only in a backup"
                )
                throw ExitCode.data
            }
            StandardOutput.line("no damage found")
        }
    }
}
