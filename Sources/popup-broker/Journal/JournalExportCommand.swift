import ArgumentParser
import Foundation
import PopupBroker
import PopupJournal
import SQLiteJournal

struct JournalExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the commands of a journal as a recording, for simulate.",
        discussion: """
            One JSON object a line, in the form that simulate reads. What a snapshot has taken the place of is no \
            longer there as commands: the standard error says from which batch on they are.
            """)

    @OptionGroup
    var options: FolderOptions

    @Option(help: ArgumentHelp("The first batch.", valueName: "batch"))
    var from: UInt64 = 1

    @Option(help: ArgumentHelp("The last batch.", valueName: "batch"))
    var to: UInt64 = .max

    func validate() throws {
        guard from <= to else { throw ValidationError("--from \(from) is after --to \(to).") }
    }

    func run() throws {
        try options.use { folder in
            var first: UInt64?
            try JournalInspection(folder: folder).forEachBatch(in: from...to) { batch in
                if first == nil {
                    first = batch.sequence
                    tellSettings(batch.sequence)
                }
                try JournaledLines.forEach(of: batch) { print($0) }
            }
            fflush(nil)
        }
    }

    private func tellSettings(_ first: UInt64) {
        guard first > from else { return }
        StandardError.write(
            "popup-broker: the commands before batch \(first) are gone, a snapshot has taken their place: what the lines "
                + "refer to may be missing")
    }
}
