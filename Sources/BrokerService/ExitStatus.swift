public import SQLiteJournal
public import ZeroMQ

/// The exit codes of sysexits(3) with which a process of a broker ends.
public enum ExitStatus: Int32, Sendable {
    /// A signal asked the process to stop, and it did.
    case success = 0
    /// The data is damaged or not valid.
    case data = 65
    /// An input file is missing or cannot be read.
    case noInput = 66
    /// A resource that is needed is not available, such as a port.
    case unavailable = 69
    /// A bug of the program.
    case software = 70
    /// An output file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process uses it; it may be free later.
    case temporaryFailure = 75
    /// Another node of a fleet owns the journal now.
    case overtaken = 76
    /// The user has no permission.
    case noPermission = 77
    /// The configuration has mistakes.
    case configuration = 78

    /// Creates the status for an error of the journal.
    public init(_ error: SQLiteJournalError) {
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

    /// Creates the status for a key file that cannot be used.
    public init(_ failure: KeyFile.Failure) {
        self =
            switch failure.cause {
            case .unreadable: .noInput
            case .openToOthers: .noPermission
            case .content: .data
            case .exists, .unwritable: .cannotCreate
            }
    }
}
