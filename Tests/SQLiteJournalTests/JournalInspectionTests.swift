import Foundation
import GRDB
import PopupJournal
@testable import SQLiteJournal
import Synchronization
import Testing

@Suite("A look at a journal")
struct JournalInspectionTests {
    private let temporary: TemporaryDirectory
    private let directory: DataDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = temporary.data()
    }

    private func batches(_ inspection: JournalInspection, _ range: ClosedRange<UInt64> = 0...UInt64.max) throws
        -> [String]
    {
        var lines: [String] = []
        try inspection.forEachBatch(in: range) { lines.append(line($0)) }
        return lines
    }

    @Test("describes the directory, while a process writes it and afterwards")
    func info() throws {
        #expect(throws: SQLiteJournalError.noJournal(directory: directory.path)) {
            try JournalInspection(directory: directory)
        }
        let journal = SQLiteJournal(directory, segmentBytes: 60_000)
        _ = try journal.open()
        for number in 1...30 { try journal.append("batch \(number)", at: Int64(number)) }
        try journal.archive?.keep("state", through: 10, at: 10)
        try directory.waitUntilSealed()
        let inspection = try JournalInspection(directory: directory)
        var info = try inspection.info()
        #expect(info.process == getpid())
        #expect((info.epoch, info.lastSequence, info.lastTime, info.mark) == (1000, 30, 30, 30))
        #expect(info.segments.map(\.batches).reduce(0, +) == 30)
        #expect(info.segments.first?.file == "journal-00000000000000000001.sqlite")
        #expect(info.segments.first?.range?.lowerBound == 1)
        #expect(info.segments.last?.range?.upperBound == 30)
        #expect(info.segments.allSatisfy { $0.epochs == [1000] && $0.size > 0 && $0.damage == nil })
        let snapshot = try #require(info.snapshots.first)
        #expect((snapshot.file, snapshot.size, snapshot.sequence) == ("snapshot-00000000000000000010", 61, 10))
        #expect((snapshot.time, snapshot.epoch, snapshot.damage) == (10, 1000, nil))
        #expect(info.snapshots.count == 1)
        #expect((info.damaged, info.schemaVersion, info.directory) == ([], 1, directory.path))
        #expect(try inspection.verify() == [])
        #expect(line(try inspection.newestSnapshot()) == "10@10 state")
        #expect(try batches(inspection) == (1...30).map { "\($0)@\($0) batch \($0)" })
        #expect(try batches(inspection, 12...14) == (12...14).map { "\($0)@\($0) batch \($0)" })

        try journal.append("one more", at: 31)
        #expect(try inspection.info().lastSequence == 31)
        try journal.close()
        info = try inspection.info()
        #expect((info.process, info.lastSequence, info.lastTime) == (nil, 31, 31))
        // Looking leaves nothing behind.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.contains("-wal") } == [])
    }

    @Test("finds what is damaged in all that is there, and changes nothing")
    func verify() throws {
        let written = try WrittenJournal(temporary)
        let name = "snapshot-00000000000000000012"
        var data = try Data(contentsOf: written.closed.file(name))
        data[60] ^= 4
        try data.write(to: written.closed.file(name))
        let before = written.closed.files
        let inspection = try JournalInspection(directory: written.closed)
        let finding = JournalFinding.damagedSnapshot(file: name, reason: "the checksum of its content is wrong")
        #expect(try inspection.verify() == [finding])
        #expect(try inspection.info().snapshots.map { $0.damage == nil } == [false, true])
        #expect(written.closed.files == before)
        #expect(try JournalInspection(directory: written.killed).verify() == [])
    }

    @Test("a copy is refused a directory that holds something")
    func notEmpty() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        let inspection = try JournalInspection(directory: directory)
        #expect(throws: SQLiteJournalError.notEmpty(directory: directory.path)) { try inspection.backUp(to: directory) }
    }

    @Test(
        "copies made while another thread appends and makes snapshots are intact, and contain everything that was committed before"
    )
    func backUp() throws {
        let journal = SQLiteJournal(directory, segmentBytes: 60_000)
        _ = try journal.open()
        try journal.append("batch 1", at: 1)
        let committed = Atomic<UInt64>(1)
        let mayEnd = Atomic<Bool>(false)
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let writer = journal
        Thread.detachNewThread {
            defer { done.signal() }
            for number in 2...UInt64(5000) where !mayEnd.load(ordering: .relaxed) {
                guard (try? writer.append("batch \(number)", at: Int64(number))) == number else { return }
                committed.store(number, ordering: .relaxed)
                if number % 50 == 0 { try? writer.archive?.keep("state \(number)", through: number, at: Int64(number)) }
            }
        }
        let inspection = try JournalInspection(directory: directory)
        for round in 1...6 {
            let before = committed.load(ordering: .relaxed)
            let copy = temporary.data("copy-\(round)")
            #expect(try inspection.backUp(to: copy) == [])
            let restored = SQLiteJournal(copy)
            let opening = try restored.open()
            #expect(opening.findings == [])
            #expect(opening.lastSequence >= before)
            #expect(opening.epoch > 1000)
            let from = try restored.newestSnapshot()?.sequence ?? 0
            #expect(
                try restored.replayed(from: from + 1)
                    == (from..<opening.lastSequence).map { "\($0 + 1)@\($0 + 1) batch \($0 + 1)" })
            try restored.close()
        }
        mayEnd.store(true, ordering: .relaxed)
        done.wait()
        try journal.close()
    }

    @Test(
        "a segment that is removed between its opening and that of its WAL counts as removed, and is not an error of the disk"
    )
    func removedMeanwhile() throws {
        let error = DatabaseError(resultCode: .SQLITE_IOERR_FSTAT, message: "disk I/O error")
        let path = directory.path
        #expect(
            SQLiteJournalError.of(error, path: path) as? SQLiteJournalError
                == .failed(path: path, operation: "open", code: ENOENT))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(
            SQLiteJournalError.of(error, path: path) as? SQLiteJournalError
                == .database(path: path, reason: "disk I/O error (SQLite 1802)"))
    }

    @Test("replays from the first batch, or from the oldest snapshot when that batch is gone")
    func replay() throws {
        func replayed() throws -> [String] {
            var lines: [String] = []
            try JournalInspection(directory: directory).replay { snapshot in
                lines.append(line(snapshot) ?? "nothing")
            } _: { batch in
                if lines.count < 3 { lines.append(line(batch)) }
            }
            return lines
        }
        let journal = SQLiteJournal(directory, segmentBytes: 60_000)
        _ = try journal.open()
        for number in 1...600 { try journal.append("batch \(number)", at: Int64(number)) }
        #expect(try replayed() == ["nothing", "1@1 batch 1", "2@2 batch 2"])
        try directory.waitUntilSealed()
        for sequence in [590, 595] as [UInt64] {
            try journal.archive?.keep("state \(sequence)", through: sequence, at: Int64(sequence))
        }
        #expect(try replayed() == ["590@590 state 590", "591@591 batch 591", "592@592 batch 592"])
        try journal.close()
    }
}
