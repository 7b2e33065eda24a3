import Foundation
import PopupJournal
import Testing

@testable import SQLiteJournal

@Suite("Segments and snapshots")
struct SegmentTests {
    private let temporary: TemporaryDirectory
    private let directory: DataDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = temporary.data()
    }

    private var segments: [String] { directory.files.filter { $0.hasPrefix("journal-") } }
    private var snapshots: [String] { directory.files.filter { $0.hasPrefix("snapshot-") } }

    private func lines(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)@\($0) batch \($0)" } }

    private func append(_ range: ClosedRange<Int>, to journal: SQLiteJournal) throws {
        for number in range { #expect(try journal.append("batch \(number)", at: Int64(number)) == UInt64(number)) }
    }

    /// An open journal with segments and WALs of a size. What an append begins is done when it returns: otherwise a segment
    /// may end before the next one is prepared.
    private func openJournal(reserving bytes: Int) throws -> SQLiteJournal {
        var options = SQLiteJournal.Options(segmentBytes: bytes, now: { 1000 })
        options.waitsForMaintenance = true
        let journal = SQLiteJournal(directory: directory, durability: .full, options: options, logger: quiet)
        _ = try journal.open()
        return journal
    }

    /// An open segment with some batches of one frame each, in a WAL of 1 MiB that was written before, and its path.
    private func segment(of batches: Int) throws -> (path: String, Segment) {
        let path = temporary.path + "/segment.sqlite"
        try Segment.make(path, openings: [])
        #expect(WAL.usedBytes(of: path) == 0)
        var reserve = WALReserve(path: temporary.path + "/first", bytes: 1 << 20)
        try reserve.write(upTo: .max) { true }
        #expect(try reserve.give(to: path))
        #expect(WAL.usedBytes(of: path) == 0)
        let segment = try Segment(first: 1, path: path, opening: nil, isFull: true)
        for number in 0..<batches {
            try Array("batch".utf8).withUnsafeBytes {
                try segment.append(sequence: UInt64(number + 1), time: 0, checksum: 0, commands: $0)
            }
        }
        return (path, segment)
    }

    @Test("a segment that is large enough is followed by the next; all are replayed in order")
    func sealing() throws {
        let journal = SQLiteJournal(directory, segmentBytes: 100_000)
        _ = try journal.open()
        try append(1...200, to: journal)
        #expect(segments.count > 3)
        #expect(segments.first == "journal-00000000000000000001.sqlite")
        #expect(try journal.replayed() == lines(1...200))
        #expect(try journal.replayed(from: 150) == lines(150...200))
        #expect(try journal.archive?.replayed(from: 77) == lines(77...200))
        try journal.close()
        // All are sealed: nothing is left in a WAL.
        let wals = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix("-wal") }
        #expect(wals == [])
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 200))
        #expect(try journal.replayed() == lines(1...200))
        try append(201...300, to: journal)
        #expect(try journal.replayed() == lines(1...300))
    }

    @Test("each append that begins a segment is announced as one that takes long, and of the others a few")
    func announced() throws {
        let journal = SQLiteJournal(directory, segmentBytes: 100_000)
        #expect(!journal.isNextAppendLong)
        _ = try journal.open()
        var announced: [Int] = []
        var begun: [Int] = []
        for number in 1...200 {
            let before = segments.count
            if journal.isNextAppendLong { announced.append(number) }
            try append(number...number, to: journal)
            if segments.count > before { begun.append(number) }
        }
        #expect(begun.count > 3)
        #expect(Set(begun).isSubset(of: announced))
        // The size is estimated, too high for such small batches: some find that there is still room.
        #expect(announced.count < 100)
        #expect(try journal.replayed() == lines(1...200))
    }

    @Test("what an earlier process left unsealed is sealed when it has been replayed: no start waits for it")
    func leftUnsealed() throws {
        var options = SQLiteJournal.Options(segmentBytes: 1, now: { 1000 })
        // What an opening begins is done when it returns.
        options.waitsForMaintenance = true
        // Each process begins a segment, and is killed before anything is replayed.
        var left = directory
        for number in 1...3 {
            let journal = SQLiteJournal(directory: left, durability: .normal, options: options, logger: quiet)
            _ = try journal.open()
            try journal.append("batch \(number)", at: Int64(number))
            left = try temporary.crashImage(of: left, "left-\(number)")
        }
        let unsealed = { left.contents.filter { $0.hasPrefix("journal-") && $0.hasSuffix("-wal") } }
        #expect(unsealed().count == 3)
        let journal = SQLiteJournal(directory: left, durability: .normal, options: options, logger: quiet)
        _ = try journal.open()
        #expect(unsealed().count == 4)
        #expect(try journal.replayed() == lines(1...3))
        #expect(unsealed() == ["journal-00000000000000000004.sqlite-wal"])
    }

    @Test("a WAL that grows soon gives way to one that was written before: appends there leave its size as it is")
    func reserved() throws {
        let reserved = 16 << 20
        let journal = try openJournal(reserving: reserved)
        let size = { try Data(contentsOf: directory.file(#require(directory.activeWAL)), options: .alwaysMapped).count }
        let text = String(repeating: "x", count: 100_000)
        var number = 0
        let append = {
            number += 1
            try journal.append(text, at: Int64(number))
        }
        // The first one grows. It ends after a few MiB, when the next is prepared, and not at its full size.
        while segments.count == 1, number < 200 { try append() }
        #expect(segments.count == 2)
        #expect(number * text.utf8.count < reserved)
        #expect(try size() == reserved)
        // Now the size is that of the reserved file, and the next begins when that is used.
        let first = number
        var sizes: [Int] = []
        while segments.count == 2, number < 1000 {
            sizes.append(try size())
            try append()
        }
        #expect((140...180).contains(number - first))
        // Only the last batch may pass its end.
        #expect(sizes.dropLast().allSatisfy { $0 == reserved })
        #expect(try size() == reserved)
        let whole = number
        #expect(try journal.replayed().count == whole)
        // A process that is killed leaves zeros after the batches: the next goes on behind these, in the same file.
        let left = try temporary.crashImage(of: directory, "left")
        let next = SQLiteJournal(left, .full, segmentBytes: reserved)
        #expect(try next.open().lastSequence == UInt64(whole))
        #expect(try next.append("after", at: Int64(whole + 1)) == UInt64(whole + 1))
        #expect(left.files.filter { $0.hasPrefix("journal-") }.count == 3)
        #expect(try next.replayed().last == "\(whole + 1)@\(whole + 1) after")
        try next.close()
        try journal.close()
        #expect(directory.contents.filter { $0.hasSuffix("-wal") } == [])
    }

    @Test("the used part of a WAL ends with its last frame, wherever the file ends", arguments: [0, 1, 2, 3, 7, 40])
    func usedPart(of batches: Int) throws {
        let (path, segment) = try segment(of: batches)
        // A batch of a few bytes takes one frame, that of its leaf.
        #expect(segment.walSize == (batches == 0 ? 0 : WAL.headerSize + batches * WAL.frameSize))
        try segment.seal()
        #expect(WAL.usedBytes(of: path) == 0)
    }

    @Test("a reserve that is not wanted any more while it is written is removed, and none begins without space")
    func cancelled() throws {
        let path = temporary.path + "/reserve"
        var reserve = WALReserve(path: path, bytes: 8 << 20)
        var asked = 0
        try reserve.write(upTo: 2 << 20) {
            asked += 1
            return asked < 4
        }
        #expect(asked == 4)
        #expect(!reserve.isComplete)
        #expect(try !reserve.give(to: temporary.path + "/segment"))
        #expect(!FileManager.default.fileExists(atPath: path))
        // No file system has so much space.
        var endless = WALReserve(path: path, bytes: .max / 4)
        try endless.write(upTo: 1 << 20) { true }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a reserve is written in pieces, from its beginning, and given away only when all of it is written")
    func pieces() throws {
        let path = temporary.path + "/reserve"
        var reserve = WALReserve(path: path, bytes: 3 * WALReserve.pieceBytes + 5)
        let size = { (try? Data(contentsOf: URL(fileURLWithPath: path)).count) ?? 0 }
        for piece in 1...3 {
            // A part of a piece is a whole one. The first begins with a block of its own.
            try reserve.write(upTo: piece * WALReserve.pieceBytes - 1) { true }
            #expect(size() == piece * WALReserve.pieceBytes)
            #expect(try !reserve.give(to: temporary.path + "/segment"))
        }
        try reserve.write(upTo: .max) { true }
        #expect(size() == 3 * WALReserve.pieceBytes + 5)
        #expect(reserve.isComplete)
        #expect(try reserve.give(to: temporary.path + "/segment"))
        #expect(size() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: temporary.path + "/segment-wal")).allSatisfy { $0 == 0 })
        #expect(!reserve.isComplete)
    }

    @Test("the file of a sealed WAL becomes a later one: it keeps its size and loses its content")
    func usedAgain() throws {
        let reserved = 4 << 20
        let journal = try openJournal(reserving: reserved)
        let text = String(repeating: "x", count: 100_000)
        var number = 0
        var files: [UInt64] = []
        while segments.count < 7, number < 1000 {
            let before = segments.count
            number += 1
            try journal.append(text, at: Int64(number))
            guard segments.count > before else { continue }
            let path = try directory.file(#require(directory.activeWAL))
            let attributes = try FileManager.default.attributesOfItem(atPath: path.path)
            files.append(try #require(attributes[.systemFileNumber] as? UInt64))
            // Behind the first batch of the segment, there is nothing of an earlier one.
            let content = try Data(contentsOf: path)
            let used = WAL.usedBytes(of: String(path.path.dropLast(WAL.suffix.count)))
            #expect(content.count >= reserved)
            #expect(used < 200_000)
            #expect(content.dropFirst(used).allSatisfy { $0 == 0 })
        }
        // The first segment grows. From the second on, two files take turns.
        #expect(files.count == 6)
        #expect(Set(files).count == 2)
        #expect(files.dropFirst(2).elementsEqual(files.dropLast(2)))
        #expect(try journal.replayed().count == number)
        try journal.close()
        #expect(directory.contents.filter { $0.hasSuffix("-wal") || $0.hasPrefix("prepared") } == [])
    }

    @Test("a process may be killed at each moment of a WAL's second life: nothing is lost")
    func killedWhileUsedAgain() throws {
        let (path, segment) = try segment(of: 20)
        var reserve = WALReserve(path: temporary.path + "/reserve", bytes: 1 << 20)
        // What a process that is killed leaves of the segment.
        var images: [String] = []
        func takeImage(_ name: String) throws {
            let image = temporary.path + "/" + name
            try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: false)
            for suffix in ["", WAL.suffix, "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: image + "/segment.sqlite" + suffix)
            }
            images.append(image)
        }
        try reserve.keepWAL(of: path) { keepsWAL in
            #expect(keepsWAL)
            try takeImage("linked")
            try segment.seal(keepsWAL: keepsWAL)
            try takeImage("sealed")
        }
        #expect(!FileManager.default.fileExists(atPath: path + WAL.suffix))
        #expect(FileManager.default.fileExists(atPath: reserve.path))
        #expect(!reserve.isComplete)
        // A power failure may bring back the removed name, for a file of which the beginning is zeros by now.
        try reserve.write(upTo: 1) { true }
        try FileManager.default.copyItem(atPath: reserve.path, toPath: path + WAL.suffix)
        try takeImage("overwritten")
        for image in images {
            try Segment.seal(image + "/segment.sqlite")
            let reader = try SegmentReader(image + "/segment.sqlite")
            defer { reader.close() }
            let extent = try #require(try reader.extent())
            #expect((extent.first, extent.last, extent.count) == (1, 20, 20), "\(image)")
        }
    }

    @Test("the reserve grows with the segment, a piece for each of equal steps, until the middle")
    func growsInSteps() throws {
        let reserved = 8 << 20
        let journal = try openJournal(reserving: reserved)
        let text = String(repeating: "x", count: 10_000)
        var number = 0
        // The first segment grows, and ends early.
        while segments.count == 1, number < 2000 {
            number += 1
            try journal.append(text, at: Int64(number))
        }
        let path = directory.walReserve
        var sizes = [Files.size(path)]
        while sizes.count < 2000, !directory.contents.contains("prepared.sqlite-wal") {
            number += 1
            try journal.append(text, at: Int64(number))
            sizes.append(Files.size(path))
        }
        // When the next segment is prepared, the file has become its WAL.
        #expect(sizes.removeLast() == 0)
        let steps = zip(sizes, sizes.dropFirst()).map { $1 - $0 }
        #expect(Set(steps) == [0, WALReserve.pieceBytes])
        #expect(steps.count { $0 > 0 } >= reserved / WALReserve.pieceBytes - 1)
        #expect(directory.contents.contains("prepared.sqlite-wal"))
        try journal.close()
    }

    @Test("the header of a former WAL is overwritten, and on disk, before anything else of it")
    func headerFirst() throws {
        let (path, segment) = try segment(of: 20)
        var reserve = WALReserve(path: temporary.path + "/reserve", bytes: 1 << 20)
        try reserve.keepWAL(of: path) { try segment.seal(keepsWAL: $0) }
        let calls = RecordedFileCalls()
        try SystemFileCalls.$current.withValue(calls) { try reserve.write(upTo: .max) { true } }
        #expect(reserve.isComplete)
        #expect(calls.record.prefix(4) == ["write 4096 at 0", "synchronize", "write 258048 at 4096", "synchronize"])
        #expect(calls.record.count == 10)
    }

    @Test("a WAL is sealed as usual, and not kept, if it is too large or too small, or cannot have a second name")
    func notKept() throws {
        for (bytes, canLink) in [((1 << 20) / 2, true), ((1 << 20) + 1, true), (1 << 20, false)] {
            let (path, segment) = try segment(of: 20)
            var reserve = WALReserve(path: temporary.path + "/reserve", bytes: bytes)
            let calls = RecordedFileCalls()
            calls.canLink = canLink
            try SystemFileCalls.$current.withValue(calls) {
                try reserve.keepWAL(of: path) { keepsWAL in
                    #expect(!keepsWAL)
                    try segment.seal(keepsWAL: keepsWAL)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: reserve.path))
            #expect(!FileManager.default.fileExists(atPath: path + WAL.suffix))
            let reader = try SegmentReader(path)
            #expect(try reader.extent()?.count == 20)
            reader.close()
        }
    }

    @Test("a file that has another name is not overwritten, also if it could not be removed before")
    func neverAnotherFile() throws {
        let path = temporary.path + "/reserve"
        let (other, content) = (temporary.path + "/other", Data("the only copy".utf8))
        try content.write(to: URL(filePath: other))
        try FileManager.default.linkItem(atPath: other, toPath: path)
        let calls = RecordedFileCalls()
        calls.canUnlink = false
        var reserve = WALReserve(path: path, bytes: 1 << 20)
        SystemFileCalls.$current.withValue(calls) {
            #expect(throws: SQLiteJournalError.self) { try reserve.write(upTo: .max) { true } }
        }
        #expect(try Data(contentsOf: URL(filePath: other)) == content)
        // When it can be removed, only its second name is.
        try reserve.write(upTo: .max) { true }
        #expect(reserve.isComplete)
        #expect(try Data(contentsOf: URL(filePath: other)) == content)
    }

    @Test("a reserve that cannot be written or given away is removed, and begun again later")
    func failing() throws {
        let path = temporary.path + "/reserve"
        var reserve = WALReserve(path: path, bytes: 1 << 20)
        let calls = RecordedFileCalls()
        calls.writesUntilFull = 3
        SystemFileCalls.$current.withValue(calls) {
            #expect(throws: SQLiteJournalError.self) { try reserve.write(upTo: .max) { true } }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try reserve.write(upTo: .max) { true }
        #expect(reserve.isComplete)
        #expect(throws: SQLiteJournalError.self) { try reserve.give(to: temporary.path + "/missing/segment") }
        #expect(!reserve.isComplete)
        #expect(!FileManager.default.fileExists(atPath: path))
        try reserve.write(upTo: .max) { true }
        #expect(try reserve.give(to: temporary.path + "/segment"))
    }

    @Test("a WAL that a reader still uses is not kept")
    func usedByReader() throws {
        let (path, segment) = try segment(of: 1)
        var reserve = WALReserve(path: temporary.path + "/reserve", bytes: 1 << 20)
        let reader = try SegmentReader(path)
        defer { reader.close() }
        #expect(try reader.extent()?.last == 1)
        // The reader is between two transactions: the WAL can be emptied, but not be left.
        try reserve.keepWAL(of: path) { keepsWAL in
            #expect(keepsWAL)
            try segment.seal(keepsWAL: keepsWAL)
        }
        #expect(Files.size(path + WAL.suffix) == 0)
        #expect(!FileManager.default.fileExists(atPath: reserve.path))
        #expect(try reader.extent()?.last == 1)
    }

    @Test("SQLite keeps no rollback journal for a segment: a process that is killed leaves one that can be read")
    func noRollbackJournal() throws {
        let made = try FilesMade(in: directory.path)
        let journal = SQLiteJournal(directory, segmentBytes: 100_000)
        for number in 0..<3 {
            _ = try journal.open()
            try append(number * 100 + 1...number * 100 + 100, to: journal)
            try journal.close()
        }
        let names = Set(made.names())
        #expect(names.contains("journal-00000000000000000001.sqlite-wal"))
        #expect(names.filter { $0.hasPrefix("journal-") && $0.hasSuffix("-journal") } == [])
    }

    @Test("a small segment goes on after a restart")
    func goesOn() throws {
        let journal = SQLiteJournal(directory)
        for number in 1...5 {
            _ = try journal.open()
            try append(number...number, to: journal)
            try journal.close()
        }
        #expect(segments == ["journal-00000000000000000001.sqlite"])
        _ = try journal.open()
        #expect(try journal.replayed() == lines(1...5))
    }

    @Test("snapshots: the two newest are kept, and the segments that a restart from the older needs")
    func twoSnapshots() throws {
        let journal = SQLiteJournal(directory, segmentBytes: 100_000)
        _ = try journal.open()
        let archive = try #require(journal.archive)
        #expect(try journal.newestSnapshot() == nil)
        try append(1...100, to: journal)
        let all = segments
        try archive.keep("first", through: 40, at: 40)
        #expect(segments == all)
        #expect(line(try archive.newestSnapshot()) == "40@40 first")
        try archive.keep("second", through: 90, at: 90)
        // Only now a restart without the newest begins at 41.
        let needed = try #require(all.last { $0 <= "journal-00000000000000000041.sqlite" })
        #expect(segments == all.filter { $0 >= needed })
        #expect(segments.count < all.count)
        #expect(try archive.replayed(from: 41) == lines(41...100))
        try append(101...200, to: journal)
        try archive.keep("third", through: 200, at: 200)
        #expect(
            snapshots == ["snapshot-00000000000000000090", "snapshot-00000000000000000200"])
        #expect(try archive.replayed(from: 91) == lines(91...200))
        #expect(line(try journal.newestSnapshot()) == "200@200 third")
        try journal.close()
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 200))
        #expect(line(try journal.newestSnapshot()) == "200@200 third")
        #expect(line(try journal.newestSnapshot()) == "200@200 third")
        #expect(try journal.replayed(from: 201) == [])
        try append(201...210, to: journal)
    }

    @Test("a snapshot of what was not committed is refused")
    func tooEarly() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        try journal.append("a")
        #expect(throws: SQLiteJournalError.notCommitted(sequence: 2, last: 1)) {
            try journal.archive?.keep("ab", through: 2)
        }
        #expect(snapshots == [])
    }

    @Test("a snapshot is due when more was committed since the newest than that is large, and than the options say")
    func due() throws {
        let journal = SQLiteJournal(directory, snapshotBytes: 100)
        _ = try journal.open()
        let archive = try #require(journal.archive)
        for _ in 1...9 { try journal.append("0123456789") }
        #expect(!journal.isSnapshotDue)
        try journal.append("0123456789")
        #expect(journal.isSnapshotDue)
        #expect(!journal.isSnapshotOverdue)
        #expect(try archive.replayed().count == 10)
        // What comes while the snapshot is made counts for the next one.
        for _ in 1...5 { try journal.append("0123456789") }
        try archive.keep(String(repeating: "s", count: 150), through: 10)
        #expect(!journal.isSnapshotDue)
        for _ in 1...9 { try journal.append("0123456789") }
        #expect(!journal.isSnapshotDue)
        try journal.append("0123456789")
        #expect(journal.isSnapshotDue)
        try journal.close()
        _ = try journal.open()
        #expect(journal.isSnapshotDue)
        for _ in 16...44 { try journal.append("0123456789") }
        #expect(!journal.isSnapshotOverdue)
        try journal.append("0123456789")
        #expect(journal.isSnapshotOverdue)
        // The archive of an opening that has ended leaves the directory alone.
        #expect(throws: SQLiteJournalError.notOpen) { try archive.keep("s", through: 20) }
    }

    @Test("what a stopped process was busy with is removed")
    func leftovers() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        try journal.append("a")
        try journal.close()
        for name in ["snapshot.temporary", "prepared.sqlite", "beginning.sqlite-wal", "salvage.sqlite"] {
            try Data("half".utf8).write(to: directory.file(name))
        }
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 1))
        #expect(directory.files == ["journal-00000000000000000001.sqlite", "lock", "mark"])
    }
}
