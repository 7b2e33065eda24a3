import ArgumentParser
import Foundation
import SQLiteJournal

struct JournalInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Tell what a data directory holds, and how large it is.")

    @OptionGroup
    var options: FolderOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        try options.use { folder in
            let info = try JournalInspection(folder: folder).info()
            if json {
                print(try JournalDescription(info).json())
            } else {
                for line in JournalDescription(info).lines { print(line) }
            }
        }
    }
}
