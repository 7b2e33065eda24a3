import ArgumentParser
import Foundation
import SQLiteJournal
import TerminalText

struct JournalInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print the contents and the size of a data directory.")

    @OptionGroup
    var options: DirectoryOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        try options.use { directory in
            let info = try JournalInspection(directory: directory).info()
            if json {
                StandardOutput.line(JournalDescription(info).json)
            } else {
                for line in JournalDescription(info).lines { StandardOutput.line(line) }
            }
        }
    }
}
