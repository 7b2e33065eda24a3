import ArgumentParser
import PopupBroker
import PopupJournal
import PopupSimulation
import SQLiteJournal
import TerminalText

struct JournalExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the commands of a journal as a recording for simulate.",
        discussion: """
            Prints one JSON object per line, in the format that simulate reads. Commands that a snapshot has replaced are no \
            longer in the journal: standard error says with which batch the output begins.
            """)

    @OptionGroup
    var options: DirectoryOptions

    @Option(help: ArgumentHelp("The number of the first batch.", valueName: "batch"))
    var from: UInt64 = 1

    @Option(help: ArgumentHelp("The number of the last batch.", valueName: "batch"))
    var to: UInt64 = .max

    func validate() throws {
        guard from <= to else { throw ValidationError("--from \(from) is after --to \(to).") }
    }

    func run() throws {
        try options.use { directory in
            var first: UInt64?
            try JournalInspection(directory: directory).forEachBatch(in: from...to) { batch in
                if first == nil {
                    first = batch.sequence
                    printSettings(batch.sequence)
                }
                var lines = ""
                defer { StandardOutput.write(lines) }
                try JournaledLines.forEach(of: batch) { lines += $0.jsonWithoutInvisibles + "\n" }
            }
        }
    }

    private func printSettings(_ first: UInt64) {
        guard first > from else { return }
        StandardError.write(
            "popup-broker: a snapshot has replaced the commands before batch \(first): the lines may refer to popups that "
                + "are missing")
    }
}
