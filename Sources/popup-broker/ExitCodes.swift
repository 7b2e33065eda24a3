import ArgumentParser
import SQLiteJournal

/// The exit codes of sysexits(3) that the program uses beside 0 and 64 (how it was called).
extension ExitCode {
    /// 65: the data is bad.
    static let data = ExitCode(65)
    /// 66: an input file is missing or can't be read.
    static let noInput = ExitCode(66)
    /// 69: something that is needed is not to be had, such as a port.
    static let unavailable = ExitCode(69)
    /// 70: a fault of the program.
    static let software = ExitCode(70)
    /// 73: an output file can't be made.
    static let cannotCreate = ExitCode(73)
    /// 74: reading or writing failed.
    static let inputOutput = ExitCode(74)
    /// 75: somebody else has it; later it may be free.
    static let temporaryFailure = ExitCode(75)
    /// 77: the user may not.
    static let noPermission = ExitCode(77)
    /// 78: the configuration is bad.
    static let configuration = ExitCode(78)
}

extension ExitCode {
    /// That of a journal that can't be used.
    init(_ error: SQLiteJournalError) {
        self =
            switch error {
            case .inUse, .changing: .temporaryFailure
            case .notADataFolder, .newerVersion, .damaged: .data
            case .noJournal: .noInput
            case .notPermitted: .noPermission
            case .notEmpty: .cannotCreate
            case .full, .failed, .database, .removed: .inputOutput
            case .notCommitted, .notOpen: .software
            }
    }
}
