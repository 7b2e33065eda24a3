import ArgumentParser
import SQLiteJournal
import ZeroMQ

/// The exit codes of sysexits(3) that the program uses in addition to 0 and 64 (wrong arguments).
extension ExitCode {
    /// 65: the data is damaged or not valid.
    static let data = ExitCode(65)
    /// 66: an input file is missing or cannot be read.
    static let noInput = ExitCode(66)
    /// 69: something that is needed is not available, such as a port.
    static let unavailable = ExitCode(69)
    /// 70: a bug of the program.
    static let software = ExitCode(70)
    /// 73: an output file cannot be created.
    static let cannotCreate = ExitCode(73)
    /// 74: reading or writing failed.
    static let inputOutput = ExitCode(74)
    /// 75: another process uses it; it may be free later.
    static let temporaryFailure = ExitCode(75)
    /// 77: the user has no permission.
    static let noPermission = ExitCode(77)
    /// 78: the configuration has mistakes.
    static let configuration = ExitCode(78)
}

extension ExitCode {
    /// The exit code for an error of the journal.
    init(_ error: SQLiteJournalError) {
        self =
            switch error {
            case .inUse, .changing: .temporaryFailure
            case .notADataDirectory, .newerVersion, .damaged: .data
            case .noJournal: .noInput
            case .notPermitted: .noPermission
            case .notEmpty: .cannotCreate
            case .full, .failed, .database, .removed: .inputOutput
            case .notCommitted, .notOpen: .software
            }
    }
}

extension ExitCode {
    /// The exit code for a key file that cannot be used.
    init(_ failure: KeyFile.Failure) {
        self =
            switch failure.cause {
            case .unreadable: .noInput
            case .openToOthers: .noPermission
            case .content: .data
            case .exists, .unwritable: .cannotCreate
            }
    }
}
