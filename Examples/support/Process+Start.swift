public import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Process {
    /// Runs it with no signal blocked.
    ///
    /// A program inherits the mask of the thread that starts it, and threads of a pool have all signals blocked: what
    /// they start would hear neither SIGTERM nor SIGINT.
    ///
    /// - Throws: as `run`.
    public func start() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
