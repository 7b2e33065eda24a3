import ArgumentParser
import Logging
import PopupBroker
import SQLiteJournal

struct JournalCompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Put a snapshot in the place of all commands of a journal.",
        discussion: """
            A running broker does so by itself; this is for one that is stopped. Two snapshots are written, so that one may be \
            damaged: where nearly all that was committed still lives, they take more room than the commands did.
            """)

    @OptionGroup
    var options: FolderOptions

    func run() throws {
        try options.use { folder in
            // A look first: what is no journal is not made one.
            let before = try JournalInspection(folder: folder).info()
            let logger = Logger(label: "popup-broker") { _ in SwiftLogNoOpLogHandler() }
            // Each batch is in a segment of its own, so that all of the earlier ones can go.
            let journal = SQLiteJournal(
                folder: folder, durability: .full, options: SQLiteJournal.Options(segmentBytes: 1), logger: logger)
            let (findings, _) = try JournalCompaction.compact(journal)
            for finding in findings { print(finding) }
            let after = try JournalInspection(folder: folder).info()
            print("\(Self.size(before)) became \(Self.size(after))")
            if !findings.isEmpty { throw ExitCode.data }
        }
    }

    private static func size(_ info: JournalInfo) -> String {
        let bytes = info.segments.reduce(0) { $0 + $1.size } + info.snapshots.reduce(0) { $0 + $1.size }
        return "\(bytes) bytes"
    }
}
