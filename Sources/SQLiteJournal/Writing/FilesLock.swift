import Dispatch

/// Held by one thread at a time. A segment is read by the archive, sealed or removed with it: one that is sealed has no
/// reader then, and its WAL can go.
final class FilesLock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    func take() { semaphore.wait() }
    func release() { semaphore.signal() }

    func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        take()
        defer { release() }
        return try body()
    }
}
