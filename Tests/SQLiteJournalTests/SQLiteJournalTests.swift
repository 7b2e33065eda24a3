import Foundation
import PopupJournal
import SQLiteJournal
import Testing

@Suite("A journal on disk")
struct SQLiteJournalTests {
    private let temporary: TemporaryDirectory
    private let directory: DataDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = temporary.data()
    }

    @Test("replays what was appended, from a sequence on", arguments: SQLiteJournal.Durability.allCases)
    func replay(_ durability: SQLiteJournal.Durability) throws {
        let journal = SQLiteJournal(directory, durability)
        #expect(try journal.open() == JournalOpening(epoch: 1000, lastSequence: 0))
        #expect(try journal.replayed() == [])
        #expect(try journal.append("a", at: 5) == 1)
        #expect(try journal.append("bc", at: -7) == 2)
        #expect(try journal.append("", at: 7) == 3)
        #expect(try journal.replayed() == ["1@5 a", "2@-7 bc", "3@7 "])
        #expect(try journal.replayed(from: 2) == ["2@-7 bc", "3@7 "])
        #expect(try journal.replayed(from: 4) == [])
        try journal.close()
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 3))
        #expect(try journal.replayed() == ["1@5 a", "2@-7 bc", "3@7 "])
        #expect(try journal.append("d", at: 8) == 4)
        #expect(try journal.replayed(from: 3) == ["3@7 ", "4@8 d"])
        try journal.close()
    }

    @Test("keeps the recorded time, through the process's death, and never an earlier one")
    func recordedTime() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        #expect(journal.recordedTime == 0)
        _ = try journal.append("a", at: 5)
        journal.record(time: 70)
        journal.record(time: 60)
        let image = try temporary.crashImage(of: directory, "image")
        try journal.close()
        for directory in [directory, image] {
            let other = SQLiteJournal(directory)
            for _ in 0..<2 {
                _ = try other.open()
                #expect(other.recordedTime == 70)
                try other.close()
            }
        }
    }

    @Test("keeps large batches byte for byte")
    func large() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        _ = try journal.append(bytes.span.bytes, at: 1)
        var found: [[UInt8]] = []
        try journal.replay(from: 1) { found.append($0.commands) }
        #expect(found == [bytes])
    }

    @Test("has all that was appended after the process died")
    func crash() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        for text in ["a", "b", "c"] { try journal.append(text) }
        let image = try temporary.crashImage(of: directory, "image")
        let other = SQLiteJournal(image)
        #expect(try other.open() == JournalOpening(epoch: 1001, lastSequence: 3))
        #expect(try other.replayed() == ["1@0 a", "2@0 b", "3@0 c"])
        #expect(try other.append("d") == 4)
    }

    @Test("begins an epoch greater than any before and than the wall clock")
    func epochs() throws {
        func epoch(_ now: Int64) throws -> UInt64 {
            let journal = SQLiteJournal(directory, now: now)
            defer { try? journal.close() }
            return try journal.open().epoch
        }
        #expect(try epoch(5000) == 5000)
        #expect(try epoch(4000) == 5001)
        #expect(try epoch(6000) == 6000)
        // A copy of an hour ago is restored.
        let copy = try temporary.crashImage(of: directory, "copy")
        #expect(try epoch(7000) == 7000)
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: copy.path, toPath: directory.path)
        #expect(try epoch(7500) == 7500)
    }

    @Test("is opened by one at a time; the second learns the id of the first")
    func lock() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        #expect(throws: JournalIsOpen.self) { try journal.open() }
        let second = SQLiteJournal(directory)
        #expect(throws: SQLiteJournalError.inUse(directory: directory.path, process: getpid())) { try second.open() }
        try journal.append("a")
        try journal.close()
        #expect(try second.open().lastSequence == 1)
    }

    @Test("makes its directory, and those above it, for its user alone")
    func permissions() throws {
        let directory = temporary.data("a/b/c")
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        try journal.append("a")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(directory.path) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(try mode(directory.file(name).path) == 0o600, "\(name)")
        }
    }

    @Test("refuses a directory of other files, and leaves them alone")
    func otherDirectory() throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
        try Data().write(to: directory.file("letters.txt"))
        #expect(throws: SQLiteJournalError.notADataDirectory(directory: directory.path, entry: "letters.txt")) {
            try SQLiteJournal(directory).open()
        }
        #expect(directory.files == ["letters.txt"])
        #expect(throws: SQLiteJournalError.self) {
            try SQLiteJournal(DataDirectory(directory.path + "/letters.txt")).open()
        }
    }

    @Test("says that it is not open")
    func notOpen() throws {
        let journal = SQLiteJournal(directory)
        #expect(throws: SQLiteJournalError.notOpen) { try journal.append("a") }
        #expect(throws: SQLiteJournalError.notOpen) { try journal.replayed() }
        #expect(throws: SQLiteJournalError.notOpen) { try journal.newestSnapshot() }
        #expect(journal.archive == nil)
        #expect(!journal.isSnapshotDue)
        try journal.close()
    }
}
