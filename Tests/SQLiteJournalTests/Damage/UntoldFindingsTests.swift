import Foundation
import PopupJournal
import SQLiteJournal
import Testing

@Suite("What an opening has found")
struct UntoldFindingsTests {
    private let temporary: TemporaryFolder
    /// Its last batches are damaged.
    private let folder: DataDirectory

    init() throws {
        temporary = try TemporaryFolder()
        folder = try WrittenJournal(temporary).closed
        let name = try #require(folder.files.last { $0.hasPrefix("journal-") })
        var data = try Data(contentsOf: folder.file(name))
        for number in UInt64(38)...40 {
            while let range = data.range(of: Data("batch \(number) ".utf8)) { data.resetBytes(in: range) }
        }
        try data.write(to: folder.file(name))
    }

    private func findings(of folder: DataDirectory) throws -> [JournalFinding] {
        let journal = SQLiteJournal(folder)
        let opening = try journal.open()
        try journal.close()
        return opening.findings
    }

    @Test("is told again by the next when the first was killed before it was used, and not after that")
    func killed() throws {
        let journal = SQLiteJournal(folder)
        let found = try journal.open().findings
        #expect(found.flatMap(\.sequences) == [38, 39, 40])
        let killed = try temporary.crashImage(of: folder, "killed-before")
        #expect(killed.files.contains("findings"))
        #expect(Set(try JournalInspection(folder: killed).verify()) == Set(found))
        #expect(Set(try findings(of: killed)) == Set(found))
        #expect(try findings(of: killed) == [])

        try journal.append("next")
        let used = try temporary.crashImage(of: folder, "killed-after")
        #expect(!used.files.contains("findings"))
        #expect(try findings(of: used) == [])
        try journal.close()
    }

    @Test("is told as damaged itself when its file is")
    func damaged() throws {
        let journal = SQLiteJournal(folder)
        _ = try journal.open()
        let killed = try temporary.crashImage(of: folder, "found")
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
    private let temporary: TemporaryFolder
    private let folder: DataDirectory
    private let killed: DataDirectory
    private let snapshot = "snapshot-00000000000000000020"

    init() throws {
        temporary = try TemporaryFolder()
        let written = try WrittenJournal(temporary)
        (folder, killed) = (written.closed, written.killed)
    }

    @Test("a folder or a link is quarantined and told, and the rest is used")
    func notAFile() throws {
        try FileManager.default.moveItem(at: folder.file(snapshot), to: folder.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(snapshot).path, withDestinationPath: folder.file("elsewhere").path)
        try FileManager.default.removeItem(at: folder.file("mark"))
        try FileManager.default.createDirectory(at: folder.file("mark"), withIntermediateDirectories: false)
        let journal = SQLiteJournal(folder)
        #expect(
            try journal.open().findings == [
                .damagedFile(file: snapshot, reason: "it is a symbolic link, not a file"),
                .damagedFile(file: "mark", reason: "it is missing"),
            ])
        #expect(line(try journal.newestSnapshot()) == "12@12 state of twelve")
        #expect(folder.quarantine == ["1-mark", "1-" + snapshot])
        #expect(try journal.append("next") == 41)
        try journal.close()
    }

    @Test("a folder in the place of the WAL is quarantined beside the segment that lacks it")
    func walIsAFolder() throws {
        let folder = killed
        let name = try #require(folder.activeWAL)
        try FileManager.default.removeItem(at: folder.file(name))
        try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
        let journal = SQLiteJournal(folder)
        let reason = "it is a directory, not a file"
        #expect(try journal.open().findings.contains(.damagedFile(file: name, reason: reason)))
        #expect(try journal.append("next") == 41)
        try journal.close()
    }

    @Test("a number that no batch can have is quarantined: sequences go on as before")
    func number() throws {
        let name = "journal-18446744073709551615.sqlite"
        let first = try #require(folder.files.first { $0.hasPrefix("journal-") })
        try FileManager.default.copyItem(at: folder.file(first), to: folder.file(name))
        let journal = SQLiteJournal(folder)
        #expect(try journal.open().findings == [.damagedFile(file: name, reason: "its number is impossible")])
        #expect(try journal.append("next") == 41)
        #expect(folder.quarantine == ["1-" + name])
        try journal.close()
    }
}
