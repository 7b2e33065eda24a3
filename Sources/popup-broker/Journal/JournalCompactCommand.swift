import ArgumentParser
import Logging
import PopupBroker
import SQLiteJournal
import TerminalText

struct JournalCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Replace all commands of a journal by a snapshot.",
        discussion: """
            For a stopped broker; a running one does this by itself. Two snapshots are written, so that one of them may be \
            damaged. If nearly all popups of the journal are still live, the snapshots take more space than the commands.
            """)

    @OptionGroup
    var options: DirectoryOptions

    func run() throws {
        try options.use { directory in
            // Reads first: a directory without a journal must not become one.
            let before = try JournalInspection(directory: directory).info()
            let logger = Logger(label: "popup-broker") { _ in SwiftLogNoOpLogHandler() }
            // Each batch is in a segment of its own, so that all of the earlier ones can go.
            let journal = SQLiteJournal(
                directory: directory, durability: .full, options: SQLiteJournal.Options(segmentBytes: 1), logger: logger
            )
            let (findings, _) = try JournalCompaction.compact(journal)
            for finding in findings { StandardOutput.line("\(finding)") }
            let after = try JournalInspection(directory: directory).info()
            StandardOutput.line("compacted from \(Self.size(before)) to \(Self.size(after))")
            if !findings.isEmpty { throw ExitCode.data }
        }
    }

    private static func size(_ info: JournalInfo) -> String {
        let bytes = info.segments.reduce(0) { $0 + $1.size } + info.snapshots.reduce(0) { $0 + $1.size }
        return "\(bytes) bytes"
    }
}
