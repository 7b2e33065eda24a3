import Dispatch

/// A lock that any thread may release. The archive reads, seals and removes segments while it holds it, so that a
/// segment that is sealed has no reader, and its WAL can be removed.
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
