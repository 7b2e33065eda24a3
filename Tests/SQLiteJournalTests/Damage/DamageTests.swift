import Foundation
import GRDB
import PopupJournal
import SQLiteJournal
import Testing

@Suite("The findings of a damaged journal")
struct DamageTests {
    private let temporary: TemporaryDirectory
    private let written: WrittenJournal
    private let lastSegment: String

    init() throws {
        temporary = try TemporaryDirectory()
        written = try WrittenJournal(temporary)
        lastSegment = written.closed.files.last { $0.hasPrefix("journal-") } ?? ""
    }

    private func change(_ name: String, in directory: DataDirectory, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: directory.file(name))
        change(&data)
        try data.write(to: directory.file(name))
    }

    @Test("a newest snapshot that is cut off: the one before and the batches since")
    func snapshot() throws {
        let directory = written.closed
        let name = "snapshot-00000000000000000020"
        try change(name, in: directory) { $0.removeLast() }
        let journal = SQLiteJournal(directory)
        let opening = try journal.open()
        #expect(
            opening.findings == [.damagedSnapshot(file: name, reason: "it has 70 bytes instead of 71")])
        #expect(line(try journal.newestSnapshot()) == "12@12 state of twelve")
        #expect(try journal.replayed(from: 13).count == 28)
        #expect(directory.quarantine == ["1-" + name])
    }

    @Test("a batch whose bytes changed: it alone is left out")
    func batch() throws {
        let directory = written.closed
        try change(lastSegment, in: directory) { data in
            guard let range = data.range(of: Data("batch 38 ".utf8)) else { return }
            data[range.lowerBound] ^= 1
        }
        let journal = SQLiteJournal(directory)
        #expect(try journal.open().findings == [.damagedBatch(38)])
        #expect(
            try journal.replayed(from: 37).map { $0.prefix { $0 != " " } } == ["37@37", "39@39", "40@40"])
        #expect(directory.quarantine == ["1-" + lastSegment])
        #expect(try journal.append("next") == 41)
        // A snapshot is made in spite of it, as the restart was.
        #expect(try journal.archive?.replayed(from: 37).count == 4)
    }

    @Test("two segments that were exchanged, one of them with a damaged header: what is recovered is so at once")
    func exchanged() throws {
        let directory = written.closed
        let names = directory.files.filter { $0.hasPrefix("journal-") }
        // That with the first batch after the snapshot, and the one before, of which a restart needs nothing.
        let needed = try #require(names.lastIndex { $0 <= "journal-00000000000000000021.sqlite" })
        try #require(needed > 0)
        let (before, after) = (names[needed - 1], names[needed])
        let contents = try Data(contentsOf: directory.file(before))
        try FileManager.default.removeItem(at: directory.file(before))
        try FileManager.default.moveItem(at: directory.file(after), to: directory.file(before))
        try contents.write(to: directory.file(after))
        try change(before, in: directory) { $0.resetBytes(in: 0..<16) }
        try WrittenJournal.check(directory, "\(before) and \(after)")
    }

    @Test("a salvage that was broken off is finished")
    func brokenOff() throws {
        let directory = written.killed
        let name = try #require(directory.activeWAL)
        let segment = String(name.dropLast(4))
        // The intact batches were written to their file; the damaged segment with its WAL still exists.
        let salvaged = "salvaged-" + segment.dropFirst("journal-".count)
        try FileManager.default.copyItem(at: written.closed.file(segment), to: directory.file(salvaged))
        try change(name, in: directory) { $0.removeLast($0.count / 2) }
        let journal = SQLiteJournal(directory)
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 40))
        #expect(try journal.replayed(from: 21).count == 20)
        #expect(!directory.files.contains(salvaged))
        try journal.close()
    }

    @Test("a WAL that ends too early: the mark shows how many batches were after it")
    func wal() throws {
        let directory = written.killed
        let name = try #require(directory.activeWAL)
        try change(name, in: directory) { $0.removeLast($0.count / 2) }
        let journal = SQLiteJournal(directory)
        let opening = try journal.open()
        #expect(opening.findings.count == 1)
        guard case .missing(let range)? = opening.findings.first else { return }
        #expect(range.upperBound == 40)
        #expect(opening.lastSequence == 40)
        #expect(directory.quarantine == ["1-" + name.dropLast(4), "1-" + name])
        #expect(try journal.append("next") == 41)
    }

    @Test("a WAL that is damaged in its middle: what follows is recovered, though SQLite doesn't see it")
    func walMiddle() throws {
        let directory = written.killed
        let name = try #require(directory.activeWAL)
        try change(name, in: directory) { data in
            // Where the row was written first; the page is written again with each row that follows on it.
            guard let range = data.range(of: Data("batch 37 ".utf8)) else { return }
            data[range.lowerBound] ^= 1
        }
        let journal = SQLiteJournal(directory)
        let reason = "the batches after the damage were recovered, from batch 37 on"
        #expect(try journal.open().findings == [.damagedFile(file: name, reason: reason)])
        #expect(
            try journal.replayed(from: 36).map { $0.prefix { $0 != " " } }
                == ["36@36", "37@37", "38@38", "39@39", "40@40"])
        #expect(directory.quarantine == ["1-" + name.dropLast(4), "1-" + name])
    }

    @Test("a segment that is gone")
    func segment() throws {
        let directory = written.closed
        let names = directory.files.filter { $0.hasPrefix("journal-") }
        let gone = names[names.count - 2]
        try FileManager.default.removeItem(at: directory.file(gone))
        let journal = SQLiteJournal(directory)
        let first = try #require(UInt64(gone.dropFirst(8).dropLast(7)))
        let next = try #require(UInt64(lastSegment.dropFirst(8).dropLast(7)))
        #expect(try journal.open().findings == [.missing(max(first, 21)...next - 1)])
        #expect(try journal.replayed(from: 21).count == 20 - Int(next - max(first, 21)))
    }

    @Test("a batch that can't be read any more while the broker runs: no snapshot is made without it")
    func whileRunning() throws {
        let directory = written.closed
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        let archive = try #require(journal.archive)
        #expect(try archive.replayed(from: 21).count == 20)
        let name = try #require(directory.files.first { $0.hasPrefix("journal-") })
        let database = try DatabaseQueue(path: directory.file(name).path)
        try database.write { try $0.execute(sql: "UPDATE batch SET checksum = checksum + 1 WHERE sequence = 16") }
        try database.close()
        #expect(throws: SQLiteJournalError.damaged(path: directory.path, reason: "batch 16 cannot be read any more")) {
            try archive.replayed(from: 13)
        }
    }

    @Test("files of a later version are left to it")
    func newerVersion() throws {
        let directory = written.closed
        let before = directory.files
        let database = try DatabaseQueue(path: directory.file(lastSegment).path)
        try database.write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('version 9'); PRAGMA user_version = 9")
        }
        try database.close()
        let error = SQLiteJournalError.newerVersion(file: directory.file(lastSegment).path, version: 9, known: 1)
        #expect(throws: error) { try SQLiteJournal(directory).open() }
        #expect(directory.files == before)
        #expect(
            error.description
                == "\(directory.path)/\(lastSegment) has format 9, but this program supports only formats up to 1; "
                + "use the version that wrote it, or a later one")
    }

    @Test("a directory of version 1 is opened")
    func versionOne() throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/version-1").path
        let directory = temporary.data("version-1")
        try FileManager.default.copyItem(atPath: fixture, toPath: directory.path)
        let journal = SQLiteJournal(directory, now: 2000)
        #expect(try journal.open() == JournalOpening(epoch: 4002, lastSequence: 5))
        #expect(line(try journal.newestSnapshot()) == "3@30 state of three")
        #expect(try journal.replayed(from: 1) == ["1@10 one", "2@20 two", "3@30 three", "4@40 four", "5@50 five"])
        #expect(try journal.append("six", at: 60) == 6)
        try journal.close()
    }
}
