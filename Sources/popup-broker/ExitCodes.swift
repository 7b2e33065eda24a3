import ArgumentParser
import BrokerService
import SQLiteJournal
import ZeroMQ

/// The exit codes that the program uses in addition to 0 and 64 (wrong arguments).
extension ExitCode {
    static let data = ExitCode(ExitStatus.data)
    static let noInput = ExitCode(ExitStatus.noInput)
    static let unavailable = ExitCode(ExitStatus.unavailable)
    static let configuration = ExitCode(ExitStatus.configuration)

    /// Creates the code of a status.
    init(_ status: ExitStatus) { self.init(status.rawValue) }

    /// Creates the code for an error of the journal.
    init(_ error: SQLiteJournalError) { self.init(ExitStatus(error)) }

    /// Creates the code for a key file that cannot be used.
    init(_ failure: KeyFile.Failure) { self.init(ExitStatus(failure)) }
}
