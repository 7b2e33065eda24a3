import Foundation
import PopupJournal
import SQLiteJournal
import Testing

/// How long an opening takes is a matter of how much there is to read, whatever the bytes are.
@Suite("The opening of a damaged journal", .serialized)
struct OpeningTimeTests {
    /// Generous: an opening of these directories takes some milliseconds of a core, and took 10 s and more where it didn't
    /// end in time. The time in which it waits for a core does not count.
    private static let limit = Duration.seconds(3)
    /// The time that an opening may take with all its waits: far more than that for a core.
    private static let limitOfWaiting = Duration.seconds(60)
    /// How often an opening may read the whole directory if one segment is damaged, and if all are. A segment that is not
    /// damaged is read once; a damaged one as far as its tree leads, by a search of its pages, by another one that writes what
    /// is left, and once more to check that.
    private static let (mostReadings, mostReadingsOfAll) = (2, 4)
    private static let page = 4096
    private static let last: UInt64 = 30

    private let temporary: TemporaryDirectory
    /// Batches of many pages, in sealed segments and in the WAL of the last.
    private let written: DataDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        let directory = temporary.data("written")
        let journal = SQLiteJournal(directory, segmentBytes: 100_000)
        _ = try journal.open()
        for number in 1...Self.last { try journal.append(Self.text(number), at: Int64(number)) }
        try directory.waitUntilSealed()
        written = try temporary.crashImage(of: directory, "killed")
        try journal.close()
    }

    private static func text(_ number: UInt64) -> String {
        "batch \(number) " + String(repeating: "\(number % 10)", count: Int(number % 7) * 1500)
    }

    /// Opens a damaged copy within a time limit, and checks what it reports.
    private func check(
        _ comment: Comment, most: Int = Self.mostReadings, _ damage: (DataDirectory) throws -> Void
    ) throws {
        let copy = try temporary.crashImage(of: written, "damaged")
        defer { try? FileManager.default.removeItem(atPath: copy.path) }
        try damage(copy)
        let size = try Self.size(of: copy)
        let journal = SQLiteJournal(copy, segmentBytes: 100_000)
        let before = try Self.bytesRead()
        let (start, begun) = (Self.timeOfThread, ContinuousClock.now)
        let opening = try journal.open()
        try Self.expectReadings(of: size, since: before, most: most, comment)
        var found: Set<UInt64> = []
        try journal.replay(from: 1) { batch in
            found.insert(batch.sequence)
            #expect(line(batch) == "\(batch.sequence)@\(batch.sequence) \(Self.text(batch.sequence))", "\(comment)")
        }
        let time = Self.timeOfThread - start
        #expect(time < Self.limit && ContinuousClock.now - begun < Self.limitOfWaiting, "\(comment)")
        let reported = Set(opening.findings.flatMap(\.sequences))
        #expect(reported == Set(1...Self.last).subtracting(found), "\(comment); \(opening.findings)")
        try journal.close()
    }

    /// Expects that this thread has read all of so many bytes, or the part that matters, and not again and again.
    private static func expectReadings(
        of size: Int, since before: Int, most: Int = Self.mostReadings, _ comment: Comment
    ) throws {
        let read = try bytesRead() - before
        #expect((size / 2...most * size).contains(read), "\(comment): \(read) bytes are read of \(size)")
    }

    /// How long this thread has had a core so far.
    private static var timeOfThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The bytes that this thread has read by calls of the system so far, those of SQLite included.
    private static func bytesRead() throws -> Int {
        let counters = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(counters.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
        return try #require(Int(line.dropFirst("rchar: ".count)))
    }

    /// The bytes of a directory's files.
    private static func size(of directory: DataDirectory) throws -> Int {
        try directory.contents.reduce(0) { try $0 + Data(contentsOf: directory.file($1)).count }
    }

    @Test("takes no longer when a page of any file is zeroed, be it behind its beginning", arguments: [0, 135])
    func zeroedPages(_ kept: Int) throws {
        for name in written.contents where name.hasPrefix("journal-") {
            let size = try Data(contentsOf: written.file(name)).count
            for page in 1..<size / Self.page {
                try check("page \(page) of \(name) from byte \(kept) on") {
                    try Self.zero(page, of: $0.file(name), from: kept)
                }
            }
        }
    }

    /// Zeroes a page of a file from one of its bytes on.
    private static func zero(_ page: Int, of file: URL, from kept: Int) throws {
        var data = try Data(contentsOf: file)
        // A page of a WAL lies behind its header and those of the frames.
        let start = file.path.hasSuffix("-wal") ? 32 + page * (24 + Self.page) + 24 : page * Self.page
        data.resetBytes(in: (start + kept..<start + kept + Self.page).clamped(to: 0..<data.count))
        try data.write(to: file)
    }

    @Test("reads all files four times at most, also when each segment is damaged", arguments: [0, 135])
    func zeroedEverywhere(_ kept: Int) throws {
        let names = written.contents.filter { $0.hasPrefix("journal-") }
        // What a segment contains is in its WAL, if it has one.
        let damaged = names.filter { !names.contains("\($0)-wal") }
        let pages = try damaged.map { try Data(contentsOf: written.file($0)).count / Self.page }.min() ?? 0
        try #require(damaged.count > 2 && pages > 4)
        for page in 1..<pages - 1 {
            try check("page \(page) of each segment from byte \(kept) on", most: Self.mostReadingsOfAll) {
                for name in damaged { try Self.zero(page, of: $0.file(name), from: kept) }
            }
        }
    }

    @Test("takes no longer when the tree leads from each of its pages to the same ones")
    func trees() throws {
        let name = try #require(written.files.first { $0.hasPrefix("journal-") })
        // An interior page whose children are all the page itself, or one leaf: a walk of it would never end.
        let pages = try Data(contentsOf: written.file(name)).count / Self.page
        for target in 2..<pages {
            try check("all pages lead to page \(target)") { directory in
                var data = try Data(contentsOf: directory.file(name))
                for page in 1..<pages where data[page * Self.page] == 0x05 || page == target {
                    data.replaceSubrange(
                        page * Self.page..<(page + 1) * Self.page, with: Self.interior(of: UInt32(target + 1)))
                }
                try data.write(to: directory.file(name))
            }
        }
    }

    @Test(
        "takes no longer for directories of a killed broker, zeroed at one place, that once took 17 s and more",
        arguments: [("opening-took-17-s", UInt64(41)), ("opening-took-longer", 183)])
    func keptDirectories(_ archive: String, lost: UInt64) throws {
        let directory = temporary.data(archive)
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
        try Self.extract(archive, to: directory)
        let size = try Self.size(of: directory)
        let journal = SQLiteJournal(directory)
        let before = try Self.bytesRead()
        let (start, begun) = (Self.timeOfThread, ContinuousClock.now)
        let opening = try journal.open()
        try Self.expectReadings(of: size, since: before, "\(archive)")
        let snapshot = try #require(try journal.newestSnapshot())
        var expected = snapshot.sequence + 1
        try journal.replay(from: expected) { batch in
            if expected == lost { expected += 1 }
            let sequence = batch.sequence
            #expect(sequence == expected)
            expected += 1
        }
        #expect(Self.timeOfThread - start < Self.limit && ContinuousClock.now - begun < Self.limitOfWaiting)
        #expect(expected == opening.lastSequence + 1)
        #expect(Set(opening.findings.flatMap(\.sequences)) == [lost])
        try journal.close()
        let again = SQLiteJournal(directory)
        #expect(try again.open().lastSequence == opening.lastSequence)
        try again.close()
    }

    private static func extract(_ archive: String, to directory: DataDirectory) throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/damaged")
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = [
            "tar", "-xzf", fixtures.appending(path: "\(archive).tar.gz").path, "-C", directory.path,
            "--strip-components=1",
        ]
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
    }

    /// A page of a tree of which each child is the same page (https://www.sqlite.org/fileformat2.html#b_tree_pages).
    private static func interior(of child: UInt32) -> Data {
        let count = 300
        var page = Data(count: page)
        func put(_ number: Int, _ size: Int, at place: Int) {
            for byte in 0..<size { page[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - byte))) }
        }
        let start = Self.page - count * 6
        page[0] = 0x05
        put(count, 2, at: 3)
        put(start, 2, at: 5)
        put(Int(child), 4, at: 8)
        for cell in 0..<count {
            put(start + cell * 6, 2, at: 12 + cell * 2)
            put(Int(child), 4, at: start + cell * 6)
            page[start + cell * 6 + 4] = UInt8(cell & 0x7F)
        }
        return page
    }
}
