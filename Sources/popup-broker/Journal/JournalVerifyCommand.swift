import ArgumentParser
import SQLiteJournal

struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything in a data directory and compare checksums.",
        discussion: "Exits with 65 when something is not as it was written. It changes nothing.")

    @OptionGroup
    var options: FolderOptions

    func run() throws {
        try options.use { folder in
            let findings = try JournalInspection(folder: folder).verify()
            for finding in findings { print(finding) }
            guard findings.isEmpty else {
                StandardError.write(
                    "popup-broker: the journal is damaged; a broker recovers what is whole, a backup has the rest")
                throw ExitCode.data
            }
            print("all is as it was written")
        }
    }
}
