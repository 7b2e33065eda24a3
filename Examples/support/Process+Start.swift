public import Foundation
import SystemCalls

extension Process {
    /// Runs the process with no signal blocked.
    ///
    /// A program inherits the signal mask of the thread that starts it. Threads of a pool have all signals blocked, so
    /// a program that they start would receive neither SIGTERM nor SIGINT.
    ///
    /// - Throws: The errors of `run`.
    public func start() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
