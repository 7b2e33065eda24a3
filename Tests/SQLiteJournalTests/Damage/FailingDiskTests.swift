import Foundation
import GRDB
import PopupJournal
import SQLiteJournal
import Testing

@Suite("A disk that can't be written")
struct FailingDiskTests {
    @Test("no room: appends fail, nothing of them is kept; with room again they succeed, without a restart")
    func full() async {
        // In a process of its own: the limit is one of the process.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            func limit(_ bytes: rlim_t) {
                var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            }
            let temporary = try TemporaryDirectory()
            defer { withExtendedLifetime(temporary) {} }
            let journal = SQLiteJournal(temporary.data(), .full)
            _ = try journal.open()
            try journal.append("a")
            for round in 1...3 {
                limit(4096)
                for _ in 1...3 {
                    #expect(throws: SQLiteJournalError.self) { try journal.append("refused") }
                }
                let large = String(repeating: "s", count: 5000)
                #expect(throws: SQLiteJournalError.self) { try journal.archive?.keep(large, through: 1) }
                limit(rlim_t.max)
                #expect(try journal.append("b\(round)") == UInt64(round) + 1)
            }
            let expected = ["1@0 a", "2@0 b1", "3@0 b2", "4@0 b3"]
            #expect(try journal.replayed() == expected)
            #expect(try journal.archive?.replayed() == expected)
            try journal.archive?.keep("state", through: 4)
            try journal.close()
            #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 4))
            #expect(try journal.replayed() == expected)
            try journal.close()
        }
    }

    @Test("no room to open: the directory is as before and opens when there is some")
    func fullAtOpening() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let temporary = try TemporaryDirectory()
            defer { withExtendedLifetime(temporary) {} }
            let journal = SQLiteJournal(temporary.data(), .full)
            _ = try journal.open()
            try journal.append("a")
            try journal.close()
            var limit = rlimit(rlim_cur: 16, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            #expect(throws: SQLiteJournalError.self) { try journal.open() }
            #expect(throws: SQLiteJournalError.self) { try SQLiteJournal(temporary.data("new")).open() }
            limit.rlim_cur = rlim_t.max
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 1))
            #expect(try journal.replayed() == ["1@0 a"])
            #expect(try SQLiteJournal(temporary.data("new")).open().lastSequence == 0)
            try journal.close()
        }
    }

    @Test("no permission to write: the error names the directory, and what to do")
    func readOnly() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectory()
            defer { withExtendedLifetime(temporary) {} }
            chmod(temporary.path, 0o755)
            let journal = SQLiteJournal(temporary.data())
            _ = try journal.open()
            try journal.append("a")
            try journal.close()
            chmod(journal.directory.path, 0o555)
            for name in journal.directory.files { chmod(journal.directory.file(name).path, 0o444) }
            // Nothing is forbidden to root.
            let isRoot = geteuid() == 0
            if isRoot { #expect(seteuid(65534) == 0) }
            defer {
                if isRoot { seteuid(0) }
                chmod(journal.directory.path, 0o700)
            }
            do {
                _ = try journal.open()
                Issue.record("opened")
            } catch let error as SQLiteJournalError {
                #expect(
                    error == .notPermitted(path: journal.directory.path + "/lock", operation: "create", code: EACCES))
                #expect(
                    error.description.hasSuffix(
                        "give the user of this process read and write permission, or name another directory")
                )
            }
            #expect(throws: SQLiteJournalError.self) { try SQLiteJournal(temporary.data("new")).open() }
            // To look at it takes no right to write.
            let inspection = try JournalInspection(directory: journal.directory)
            #expect(try inspection.info().lastSequence == 1)
            #expect(try inspection.verify() == [])
        }
    }

    @Test("a segment that can't be written any more is left, and the next begins")
    func broken() throws {
        let temporary = try TemporaryDirectory()
        let journal = SQLiteJournal(temporary.data())
        _ = try journal.open()
        try journal.append("a")
        // Another program holds the database: for SQLite the write fails.
        let segment = journal.directory.file("journal-00000000000000000001.sqlite").path
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: segment, configuration: configuration)
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        #expect(throws: SQLiteJournalError.self) { try journal.append("b") }
        #expect(try journal.append("c") == 2)
        try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        #expect(try journal.append("d") == 3)
        #expect(
            journal.directory.files.filter { $0.hasPrefix("journal-") } == [
                "journal-00000000000000000001.sqlite", "journal-00000000000000000002.sqlite",
            ])
        #expect(try journal.replayed() == ["1@0 a", "2@0 c", "3@0 d"])
        try journal.close()
        #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: 3))
        #expect(try journal.replayed() == ["1@0 a", "2@0 c", "3@0 d"])
    }
}
