/// The start of threads of the operating system, for work that waits in system calls and must not block the threads
/// that Swift's tasks share.
package enum DedicatedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends.
    ///
    /// - Throws: `ThreadError` if the system allows no more threads.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw ThreadError(code: code)
        }
    }
}

/// The error that a thread cannot be started; `code` is an `errno`.
package struct ThreadError: Error, CustomStringConvertible {
    package var code: Int32

    package var description: String {
        "cannot start a thread: \(String(cString: strerror(code))); raise the limit of threads"
    }
}
