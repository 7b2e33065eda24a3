import GRDB
import SystemCalls

/// Why a journal can't be opened, read or written; what to do is said with it.
public enum SQLiteJournalError: Error, Hashable, Sendable {
    /// Another process has the folder open: the one with this id, where it is known.
    case inUse(folder: String, process: Int32?)
    /// The folder has files in it and none is a journal's.
    case notADataFolder(folder: String, entry: String)
    /// A later version of this program has written the file.
    case newerVersion(file: String, version: Int, known: Int)
    /// The system doesn't let this process do so; `code` is an `errno`.
    case notPermitted(path: String, operation: String, code: Int32)
    /// There is no room left for it.
    case full(path: String)
    /// The system can't do it; `code` is an `errno`.
    case failed(path: String, operation: String, code: Int32)
    /// SQLite can't do it.
    case database(path: String, reason: String)
    /// The file isn't as it was written.
    case damaged(path: String, reason: String)
    /// The data directory, or a file in it, is gone or another while the journal is open.
    case removed(path: String)
    /// The folder for a copy is there already, and not empty.
    case notEmpty(folder: String)
    /// The journal changed faster than it could be copied.
    case changing(folder: String)
    /// The folder holds no journal.
    case noJournal(folder: String)
    /// A snapshot of batches that were not committed.
    case notCommitted(sequence: UInt64, last: UInt64)
    /// The journal was not opened, or is closed.
    case notOpen
}

extension SQLiteJournalError: CustomStringConvertible {
    /// A sentence.
    public var description: String {
        switch self {
        case .inUse(let folder, let process):
            "the data directory \(folder) is in use by \(process.map { "process \($0)" } ?? "another process"); "
                + "stop that broker, or give this one a folder of its own"
        case .notADataFolder(let folder, let entry):
            "\(folder) is no data directory: it holds \(entry) and no journal; name an empty or a new folder"
        case .newerVersion(let file, let version, let known):
            "\(file) has format \(version), and this program knows formats up to \(known); "
                + "use the version that wrote it, or a later one"
        case .notPermitted(let path, let operation, let code):
            "cannot \(operation) \(path): \(Self.text(code)); "
                + "let the user that runs this read and write it, or name another folder"
        case .full(let path):
            "cannot write \(path): no room is left; free some on this disk, or raise the quota"
        case .failed(let path, let operation, let code):
            "cannot \(operation) \(path): \(Self.text(code)); check the path and the disk"
        case .database(let path, let reason):
            "cannot use \(path): \(reason); check the disk, and that no other program has the file open"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); open the journal to have it repaired, or restore a copy"
        case .removed(let path):
            "\(path) was removed or replaced while this broker writes it; put back what was there and it goes on, "
                + "or stop this broker, restore a copy, and start it again"
        case .notEmpty(let folder):
            "\(folder) is not empty; name a folder that is not there yet"
        case .changing(let folder):
            "\(folder) changes faster than it can be copied; try again when fewer snapshots are written"
        case .noJournal(let folder):
            "\(folder) holds no journal; name the data directory of a broker"
        case .notCommitted(let sequence, let last):
            "a snapshot of batch \(sequence) is refused: the last that was committed is \(last)"
        case .notOpen:
            "the journal is not open; open it first"
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// What an `errno` of a call on a file means.
    static func system(_ operation: String, _ path: String, _ code: Int32 = errno) -> SQLiteJournalError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full(path: path)
        case EACCES, EPERM, EROFS: .notPermitted(path: path, operation: operation, code: code)
        default: .failed(path: path, operation: operation, code: code)
        }
    }

    /// What an error of SQLite on a file means.
    static func of(_ error: any Error, path: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let reason = "\(error.message ?? "no message") (SQLite \(error.extendedResultCode.rawValue))"
        return switch error.resultCode {
        case .SQLITE_FULL: SQLiteJournalError.full(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            access(path, R_OK | W_OK) == 0 ? database(path: path, reason: reason) : system("open", path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: damaged(path: path, reason: reason)
        default: database(path: path, reason: reason)
        }
    }
}

extension DatabaseError {
    /// It speaks of the file's bytes, not of the system, of locks or of memory.
    var isDamage: Bool {
        switch resultCode {
        // A `ReadBudget` interrupts, and nobody else does.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_INTERRUPT, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA,
            .SQLITE_MISMATCH,
            .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_CONSTRAINT:
            true
        case .SQLITE_IOERR:
            [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(extendedResultCode)
        default: false
        }
    }
}
