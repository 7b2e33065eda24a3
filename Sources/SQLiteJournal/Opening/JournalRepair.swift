import Logging
import PopupJournal

/// Brings a folder in order before a journal goes on in it. What is damaged goes into the folder `damaged`, what is
/// whole of it stays; each step can be broken off and is finished the next time.
struct JournalRepair {
    let folder: DataDirectory
    let logger: Logger
    /// Begins the names of what is quarantined this time; a name that is quarantined twice has the next.
    private let number: Int

    init(_ folder: DataDirectory, logger: Logger) throws(SQLiteJournalError) {
        self.folder = folder
        self.logger = logger
        let names = try Files.names(in: folder.damaged) ?? []
        let numbers = names.compactMap { $0.split(separator: "-").first.flatMap { Int($0) } }
        number = min(numbers.max() ?? 0, 1 << 32) + 1
    }

    /// Finishes or takes back what a stopped process was busy with. Returns what is in the folder then.
    func tidy(_ contents: DataDirectory.Contents) throws -> DataDirectory.Contents {
        for name in contents.temporary { try Files.remove(folder.path + "/" + name) }
        for first in contents.salvaged { try replace(first) }
        for first in contents.segments { try Segment.rollBack(folder.segment(first)) }
        return try folder.contents() ?? DataDirectory.Contents()
    }

    /// Moves a file into `damaged`.
    func quarantine(_ name: String) throws(SQLiteJournalError) {
        logger.warning("damaged file quarantined", metadata: ["file": "\(name)", "directory": "\(folder.damaged)"])
        try Files.makeFolder(folder.damaged)
        try Files.rename(folder.path + "/" + name, to: quarantined(name))
        try Files.synchronize(folder.damaged)
        try Files.synchronize(folder.path)
    }

    /// Quarantines a segment that isn't sound, and leaves a new one in its place with what of it is whole.
    func salvage(_ first: UInt64, through last: UInt64) throws {
        let name = DataDirectory.segmentName(first)
        let path = folder.segment(first)
        guard try rewrite(path, first...max(first, last)) else {
            for suffix in DataDirectory.companions.reversed() + [""] where Files.exists(path + suffix) {
                try quarantine(name + suffix)
            }
            return
        }
        logger.warning(
            "damaged segment quarantined, and replaced by its intact batches",
            metadata: ["file": "\(name)", "directory": "\(folder.damaged)"])
        try Files.makeFolder(folder.damaged)
        // Second names are enough: the old WAL is removed and the database replaced, neither is written to again.
        for suffix in ["-wal", ""] where Files.exists(path + suffix) {
            try Files.link(path + suffix, to: quarantined(name + suffix))
        }
        try Files.synchronize(folder.damaged)
        try Files.rename(folder.salvage, to: folder.salvaged(first))
        try Files.synchronize(folder.path)
        try replace(first)
    }

    /// Writes what is whole of a segment into `salvage`. Returns false when that is nothing.
    private func rewrite(_ path: String, _ range: ClosedRange<UInt64>) throws -> Bool {
        let notes = try Self.notes(path)
        try Segment.make(folder.salvage, openings: notes.openings, missing: notes.missing)
        var count = 0
        try Segment.fill(folder.salvage) { insert in
            _ = try PageScan(path).forEachBatch(in: range) { row in
                try insert(row)
                count += 1
            }
        }
        if count == 0 { try Segment.remove(folder.salvage) }
        return count > 0
    }

    private static func notes(_ path: String) throws -> SegmentReader.Notes {
        do {
            let reader = try SegmentReader(path)
            defer { reader.close() }
            return try reader.notes()
        } catch SQLiteJournalError.damaged {
            return SegmentReader.Notes()
        }
    }

    /// Puts a salvaged segment in its place. The old WAL goes first: it would be taken for the new database's.
    private func replace(_ first: UInt64) throws(SQLiteJournalError) {
        for suffix in DataDirectory.companions { try Files.remove(folder.segment(first) + suffix) }
        try Files.synchronize(folder.path)
        try Files.rename(folder.salvaged(first), to: folder.segment(first))
        try Files.synchronize(folder.path)
    }

    private func quarantined(_ name: String) -> String {
        var number = number
        while Files.exists("\(folder.damaged)/\(number)-\(name)") { number += 1 }
        return "\(folder.damaged)/\(number)-\(name)"
    }
}
