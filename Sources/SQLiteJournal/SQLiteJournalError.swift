import GRDB
import SystemCalls

/// The reason why a journal cannot be opened, read or written. Its description says what to do.
public enum SQLiteJournalError: Error, Hashable, Sendable {
    /// Another process has the directory open; `process` is its id, if known.
    case inUse(directory: String, process: Int32?)
    /// The directory contains files, for example `entry`, but none of a journal.
    case notADataDirectory(directory: String, entry: String)
    /// A later version of this program has written the file, in a format greater than `known`.
    case newerVersion(file: String, version: Int, known: Int)
    /// The process has no permission; `code` is an `errno`.
    case notPermitted(path: String, operation: String, code: Int32)
    /// The disk is full.
    case full(path: String)
    /// A system call failed; `code` is an `errno`.
    case failed(path: String, operation: String, code: Int32)
    /// SQLite reports an error.
    case database(path: String, reason: String)
    /// The file is damaged.
    case damaged(path: String, reason: String)
    /// The data directory, or a file in it, was removed or replaced while the journal is open.
    case removed(path: String)
    /// The directory for a copy exists, and is not empty.
    case notEmpty(directory: String)
    /// The journal changed faster than it could be copied.
    case changing(directory: String)
    /// The directory contains no journal.
    case noJournal(directory: String)
    /// The snapshot is of batches that are not committed.
    case notCommitted(sequence: UInt64, last: UInt64)
    /// The journal was not opened, or is closed.
    case notOpen
}

extension SQLiteJournalError: CustomStringConvertible {
    /// One sentence that says what failed and what to do.
    public var description: String {
        switch self {
        case .inUse(let directory, let process):
            "the data directory \(directory) is in use by \(process.map { "process \($0)" } ?? "another process"); "
                + "stop that broker, or name another directory"
        case .notADataDirectory(let directory, let entry):
            "\(directory) is not a data directory: it contains \(entry) and no journal; name an empty or a new directory"
        case .newerVersion(let file, let version, let known):
            "\(file) has format \(version), but this program supports only formats up to \(known); "
                + "use the version that wrote it, or a later one"
        case .notPermitted(let path, let operation, let code):
            "cannot \(operation) \(path): \(Self.text(code)); "
                + "give the user of this process read and write permission, or name another directory"
        case .full(let path):
            "cannot write \(path): the disk is full; free some space, or raise the quota"
        case .failed(let path, let operation, let code):
            "cannot \(operation) \(path): \(Self.text(code)); check the path and the disk"
        case .database(let path, let reason):
            "cannot use \(path): \(reason); check the disk, and that no other program has the file open"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); start a broker to repair the journal, or restore a backup"
        case .removed(let path):
            "\(path) was removed or replaced while this broker was using it; put it back to continue, "
                + "or stop this broker, restore a backup, and start it again"
        case .notEmpty(let directory):
            "\(directory) is not empty; name a directory that does not exist yet"
        case .changing(let directory):
            "\(directory) changes faster than it can be copied; try again when the broker has less to do"
        case .noJournal(let directory):
            "\(directory) contains no journal; name the data directory of a broker"
        case .notCommitted(let sequence, let last):
            "a snapshot of batch \(sequence) is not possible: the last committed batch is \(last)"
        case .notOpen:
            "the journal is not open; open it first"
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Returns the error for an `errno` of a call on a file.
    static func system(_ operation: String, _ path: String, _ code: Int32 = errno) -> SQLiteJournalError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full(path: path)
        case EACCES, EPERM, EROFS: .notPermitted(path: path, operation: operation, code: code)
        default: .failed(path: path, operation: operation, code: code)
        }
    }

    /// Returns the error for an error of SQLite on a file; other errors as they are.
    static func of(_ error: any Error, path: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let reason = "\(error.message ?? "no message") (SQLite \(error.extendedResultCode.rawValue))"
        return switch error.resultCode {
        case .SQLITE_FULL: SQLiteJournalError.full(path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            access(path, R_OK | W_OK) == 0 ? database(path: path, reason: reason) : system("open", path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: damaged(path: path, reason: reason)
        // SQLite looks for the file again before it makes the WAL beside it: it may have been removed since it was opened.
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_FSTAT && !Files.exists(path):
            system("open", path, ENOENT)
        default: database(path: path, reason: reason)
        }
    }
}

extension DatabaseError {
    /// Whether the error is about the bytes of the file, and not about the system, locks or memory.
    var isDamage: Bool {
        switch resultCode {
        // Only a `ReadBudget` interrupts.
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
