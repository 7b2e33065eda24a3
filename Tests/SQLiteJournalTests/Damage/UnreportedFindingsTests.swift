import Foundation
import PopupJournal
import SQLiteJournal
import Testing

@Suite("What an opening has found")
struct UnreportedFindingsTests {
    private let temporary: TemporaryDirectory
    /// Its last batches are damaged.
    private let directory: DataDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = try WrittenJournal(temporary).closed
        let name = try #require(directory.files.last { $0.hasPrefix("journal-") })
        var data = try Data(contentsOf: directory.file(name))
        for number in UInt64(38)...40 {
            while let range = data.range(of: Data("batch \(number) ".utf8)) { data.resetBytes(in: range) }
        }
        try data.write(to: directory.file(name))
    }

    private func findings(of directory: DataDirectory) throws -> [JournalFinding] {
        let journal = SQLiteJournal(directory)
        let opening = try journal.open()
        try journal.close()
        return opening.findings
    }

    @Test("is reported again by the next opening if the first was killed before the journal was used, and not later")
    func killed() throws {
        let journal = SQLiteJournal(directory)
        let found = try journal.open().findings
        #expect(found.flatMap(\.sequences) == [38, 39, 40])
        let killed = try temporary.crashImage(of: directory, "killed-before")
        #expect(killed.files.contains("findings"))
        #expect(Set(try JournalInspection(directory: killed).verify()) == Set(found))
        #expect(Set(try findings(of: killed)) == Set(found))
        #expect(try findings(of: killed) == [])

        try journal.append("next")
        let used = try temporary.crashImage(of: directory, "killed-after")
        #expect(!used.files.contains("findings"))
        #expect(try findings(of: used) == [])
        try journal.close()
    }

    @Test("is reported as damaged itself if its file is")
    func damaged() throws {
        let journal = SQLiteJournal(directory)
        _ = try journal.open()
        let killed = try temporary.crashImage(of: directory, "found")
        try journal.close()
        var data = try Data(contentsOf: killed.file("findings"))
        data[data.count / 2] ^= 1
        try data.write(to: killed.file("findings"))
        #expect(
            try findings(of: killed) == [.damagedFile(file: "findings", reason: "its checksum is wrong")])
    }
}

@Suite("In the place of a file of the journal")
struct ForeignFileTests {
    private let temporary: TemporaryDirectory
    private let directory: DataDirectory
    private let killed: DataDirectory
    private let snapshot = "snapshot-00000000000000000020"

    init() throws {
        temporary = try TemporaryDirectory()
        let written = try WrittenJournal(temporary)
        (directory, killed) = (written.closed, written.killed)
    }

    @Test("a directory or a link is quarantined and reported, and the rest is used")
    func notAFile() throws {
        try FileManager.default.moveItem(at: directory.file(snapshot), to: directory.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: directory.file(snapshot).path, withDestinationPath: directory.file("elsewhere").path)
        try FileManager.default.removeItem(at: directory.file("mark"))
        try FileManager.default.createDirectory(at: directory.file("mark"), withIntermediateDirectories: false)
        let journal = SQLiteJournal(directory)
        #expect(
            try journal.open().findings == [
                .damagedFile(file: snapshot, reason: "it is a symbolic link, not a file"),
                .damagedFile(file: "mark", reason: "it is missing"),
            ])
        #expect(line(try journal.newestSnapshot()) == "12@12 state of twelve")
        #expect(directory.quarantine == ["1-mark", "1-" + snapshot])
        #expect(try journal.append("next") == 41)
        try journal.close()
    }

    @Test("a directory in the place of the WAL is quarantined with the segment that lacks it")
    func walIsADirectory() throws {
        let directory = killed
        let name = try #require(directory.activeWAL)
        try FileManager.default.removeItem(at: directory.file(name))
        try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
        let journal = SQLiteJournal(directory)
        let reason = "it is a directory, not a file"
        #expect(try journal.open().findings.contains(.damagedFile(file: name, reason: reason)))
        #expect(try journal.append("next") == 41)
        try journal.close()
    }

    @Test("a number that no batch can have is quarantined: sequences go on as before")
    func number() throws {
        let name = "journal-18446744073709551615.sqlite"
        let first = try #require(directory.files.first { $0.hasPrefix("journal-") })
        try FileManager.default.copyItem(at: directory.file(first), to: directory.file(name))
        let journal = SQLiteJournal(directory)
        #expect(try journal.open().findings == [.damagedFile(file: name, reason: "its number is impossible")])
        #expect(try journal.append("next") == 41)
        #expect(directory.quarantine == ["1-" + name])
        try journal.close()
    }
}
