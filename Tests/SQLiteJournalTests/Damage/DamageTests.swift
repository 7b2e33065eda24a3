import Foundation
import GRDB
import PopupJournal
import SQLiteJournal
import Testing

@Suite("What a damaged journal tells")
struct DamageTests {
    private let temporary: TemporaryFolder
    private let written: WrittenJournal
    private let lastSegment: String

    init() throws {
        temporary = try TemporaryFolder()
        written = try WrittenJournal(temporary)
        lastSegment = written.closed.files.last { $0.hasPrefix("journal-") } ?? ""
    }

    private func change(_ name: String, in folder: DataDirectory, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: folder.file(name))
        change(&data)
        try data.write(to: folder.file(name))
    }

    @Test("a newest snapshot that is cut off: the one before and the batches since")
    func snapshot() throws {
        let folder = written.closed
        let name = "snapshot-00000000000000000020"
        try change(name, in: folder) { $0.removeLast() }
        let journal = SQLiteJournal(folder)
        let opening = try journal.open()
        #expect(
            opening.findings == [.damagedSnapshot(file: name, reason: "it has 70 bytes instead of 71")])
        #expect(line(try journal.newestSnapshot()) == "12@12 state of twelve")
        #expect(try journal.replayed(from: 13).count == 28)
        #expect(folder.quarantine == ["1-" + name])
    }

    @Test("a batch whose bytes changed: it alone is left out")
    func batch() throws {
        let folder = written.closed
        try change(lastSegment, in: folder) { data in
            guard let range = data.range(of: Data("batch 38 ".utf8)) else { return }
            data[range.lowerBound] ^= 1
        }
        let journal = SQLiteJournal(folder)
        #expect(try journal.open().findings == [.damagedBatch(38)])
        #expect(
            try journal.replayed(from: 37).map { $0.prefix { $0 != " " } } == ["37@37", "39@39", "40@40"])
        #expect(folder.quarantine == ["1-" + lastSegment])
        #expect(try journal.append("next") == 41)
        // A snapshot is made in spite of it, as the restart was.
        #expect(try journal.archive?.replayed(from: 37).count == 4)
    }

    @Test("two segments that were exchanged, one of them with a damaged header: what is recovered is so at once")
    func exchanged() throws {
        let folder = written.closed
        let names = folder.files.filter { $0.hasPrefix("journal-") }
        // That with the first batch after the snapshot, and the one before, of which a restart needs nothing.
        let needed = try #require(names.lastIndex { $0 <= "journal-00000000000000000021.sqlite" })
        try #require(needed > 0)
        let (before, after) = (names[needed - 1], names[needed])
        let contents = try Data(contentsOf: folder.file(before))
        try FileManager.default.removeItem(at: folder.file(before))
        try FileManager.default.moveItem(at: folder.file(after), to: folder.file(before))
        try contents.write(to: folder.file(after))
        try change(before, in: folder) { $0.resetBytes(in: 0..<16) }
        try WrittenJournal.check(folder, "\(before) and \(after)")
    }

    @Test("a salvage that was broken off is finished")
    func brokenOff() throws {
        let folder = written.killed
        let name = try #require(folder.activeWAL)
        let segment = String(name.dropLast(4))
        // What is whole was written and has its name; the damaged one with its WAL is still in its place.
        let salvaged = "salvaged-" + segment.dropFirst("journal-".count)
        try FileManager.default.copyItem(at: written.closed.file(segment), to: folder.file(salvaged))
        try change(name, in: folder) { $0.removeLast($0.count / 2) }
        let journal = SQLiteJournal(folder)
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 40))
        #expect(try journal.replayed(from: 21).count == 20)
        #expect(!folder.files.contains(salvaged))
        try journal.close()
    }

    @Test("a WAL that ends too early: the mark tells how many batches were after it")
    func wal() throws {
        let folder = written.killed
        let name = try #require(folder.activeWAL)
        try change(name, in: folder) { $0.removeLast($0.count / 2) }
        let journal = SQLiteJournal(folder)
        let opening = try journal.open()
        #expect(opening.findings.count == 1)
        guard case .missing(let range)? = opening.findings.first else { return }
        #expect(range.upperBound == 40)
        #expect(opening.lastSequence == 40)
        #expect(folder.quarantine == ["1-" + name.dropLast(4), "1-" + name])
        #expect(try journal.append("next") == 41)
    }

    @Test("a WAL that is damaged in its middle: what follows is recovered, though SQLite doesn't see it")
    func walMiddle() throws {
        let folder = written.killed
        let name = try #require(folder.activeWAL)
        try change(name, in: folder) { data in
            // Where the row was written first; the page is written again with each row that follows on it.
            guard let range = data.range(of: Data("batch 37 ".utf8)) else { return }
            data[range.lowerBound] ^= 1
        }
        let journal = SQLiteJournal(folder)
        let reason = "the batches after the damage were recovered, from batch 37 on"
        #expect(try journal.open().findings == [.damagedFile(file: name, reason: reason)])
        #expect(
            try journal.replayed(from: 36).map { $0.prefix { $0 != " " } }
                == ["36@36", "37@37", "38@38", "39@39", "40@40"])
        #expect(folder.quarantine == ["1-" + name.dropLast(4), "1-" + name])
    }

    @Test("a segment that is gone")
    func segment() throws {
        let folder = written.closed
        let names = folder.files.filter { $0.hasPrefix("journal-") }
        let gone = names[names.count - 2]
        try FileManager.default.removeItem(at: folder.file(gone))
        let journal = SQLiteJournal(folder)
        let first = try #require(UInt64(gone.dropFirst(8).dropLast(7)))
        let next = try #require(UInt64(lastSegment.dropFirst(8).dropLast(7)))
        #expect(try journal.open().findings == [.missing(max(first, 21)...next - 1)])
        #expect(try journal.replayed(from: 21).count == 20 - Int(next - max(first, 21)))
    }

    @Test("a batch that can't be read any more while the broker runs: no snapshot is made without it")
    func whileRunning() throws {
        let folder = written.closed
        let journal = SQLiteJournal(folder)
        _ = try journal.open()
        let archive = try #require(journal.archive)
        #expect(try archive.replayed(from: 21).count == 20)
        let name = try #require(folder.files.first { $0.hasPrefix("journal-") })
        let database = try DatabaseQueue(path: folder.file(name).path)
        try database.write { try $0.execute(sql: "UPDATE batch SET checksum = checksum + 1 WHERE sequence = 16") }
        try database.close()
        #expect(throws: SQLiteJournalError.damaged(path: folder.path, reason: "batch 16 cannot be read any more")) {
            try archive.replayed(from: 13)
        }
    }

    @Test("files of a later version are left to it")
    func newerVersion() throws {
        let folder = written.closed
        let before = folder.files
        let database = try DatabaseQueue(path: folder.file(lastSegment).path)
        try database.write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('version 9'); PRAGMA user_version = 9")
        }
        try database.close()
        let error = SQLiteJournalError.newerVersion(file: folder.file(lastSegment).path, version: 9, known: 1)
        #expect(throws: error) { try SQLiteJournal(folder).open() }
        #expect(folder.files == before)
        #expect(
            error.description
                == "\(folder.path)/\(lastSegment) has format 9, but this program supports only formats up to 1; "
                + "use the version that wrote it, or a later one")
    }

    @Test("a folder of version 1 is opened")
    func versionOne() throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/version-1").path
        let folder = temporary.data("version-1")
        try FileManager.default.copyItem(atPath: fixture, toPath: folder.path)
        let journal = SQLiteJournal(folder, now: 2000)
        #expect(try journal.open() == JournalOpening(epoch: 4002, lastSequence: 5))
        #expect(line(try journal.newestSnapshot()) == "3@30 state of three")
        #expect(try journal.replayed(from: 1) == ["1@10 one", "2@20 two", "3@30 three", "4@40 four", "5@50 five"])
        #expect(try journal.append("six", at: 60) == 6)
        try journal.close()
    }
}
