import Logging
import PopupJournal

/// The repair of a data directory before a journal continues in it. Damaged files are moved to the directory `damaged`,
/// and replaced by their intact parts. Each step can be interrupted; the next opening completes it.
struct JournalRepair {
    let directory: DataDirectory
    let logger: Logger
    /// The number with which the names of quarantined files begin this time. A name that exists gets the next number.
    private let number: Int

    init(_ directory: DataDirectory, logger: Logger) throws(SQLiteJournalError) {
        self.directory = directory
        self.logger = logger
        let names = try Files.names(in: directory.damaged) ?? []
        let numbers = names.compactMap { $0.split(separator: "-").first.flatMap { Int($0) } }
        number = min(numbers.max() ?? 0, 1 << 32) + 1
    }

    /// Completes or reverts what a stopped process has left unfinished. Returns the contents of the directory
    /// afterwards.
    func cleanUp(_ contents: DataDirectory.Contents) throws -> DataDirectory.Contents {
        for name in contents.temporary { try Files.remove(directory.path + "/" + name) }
        for first in contents.salvaged { try replace(first) }
        for first in contents.segments { try Segment.rollBack(directory.segment(first)) }
        return try directory.contents() ?? DataDirectory.Contents()
    }

    /// Moves a file into `damaged`.
    func quarantine(_ name: String) throws(SQLiteJournalError) {
        logger.warning("damaged file quarantined", metadata: ["file": "\(name)", "directory": "\(directory.damaged)"])
        try Files.makeDirectory(directory.damaged)
        try Files.rename(directory.path + "/" + name, to: quarantined(name))
        try Files.synchronize(directory.damaged)
        try Files.synchronize(directory.path)
    }

    /// Quarantines a damaged segment, and replaces it by a new one with its intact batches, if there are any.
    ///
    /// - Parameters:
    ///   - segment: The segment, as it was read.
    ///   - last: The last sequence that counts.
    func salvage(_ segment: Examination, through last: UInt64) throws {
        let first = segment.first
        let name = DataDirectory.segmentName(first)
        let path = directory.segment(first)
        guard try rewrite(path, first...max(first, last), segment.metadata) else {
            for suffix in DataDirectory.companions.reversed() + [""] where Files.exists(path + suffix) {
                try quarantine(name + suffix)
            }
            return
        }
        logger.warning(
            "damaged segment quarantined, and replaced by its intact batches",
            metadata: ["file": "\(name)", "directory": "\(directory.damaged)"])
        try Files.makeDirectory(directory.damaged)
        // Hard links suffice: the old WAL is removed and the database replaced, and neither is written again.
        for suffix in [WAL.suffix, ""] where Files.exists(path + suffix) {
            try Files.link(path + suffix, to: quarantined(name + suffix))
        }
        try Files.synchronize(directory.damaged)
        try Files.rename(directory.salvage, to: directory.salvaged(first))
        try Files.synchronize(directory.path)
        try replace(first)
    }

    /// Writes the intact batches of a segment to `salvage`. Returns whether there are any.
    private func rewrite(
        _ path: String, _ range: ClosedRange<UInt64>, _ metadata: SegmentReader.Metadata
    ) throws -> Bool {
        try Segment.make(directory.salvage, openings: metadata.openings, missing: metadata.missing)
        var count = 0
        try Segment.fill(directory.salvage) { insert in
            _ = try PageScan(path).forEachBatch(in: range) { row in
                try insert(row)
                count += 1
            }
        }
        if count == 0 { try Segment.remove(directory.salvage) }
        return count > 0
    }

    /// Replaces a damaged segment by the salvaged one. The old WAL is removed first: SQLite would use it for the new
    /// database.
    private func replace(_ first: UInt64) throws(SQLiteJournalError) {
        for suffix in DataDirectory.companions { try Files.remove(directory.segment(first) + suffix) }
        try Files.synchronize(directory.path)
        try Files.rename(directory.salvaged(first), to: directory.segment(first))
        try Files.synchronize(directory.path)
    }

    private func quarantined(_ name: String) -> String {
        var number = number
        while Files.exists("\(directory.damaged)/\(number)-\(name)") { number += 1 }
        return "\(directory.damaged)/\(number)-\(name)"
    }
}
