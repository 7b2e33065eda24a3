import Dispatch

/// Held while a segment is read by the archive, sealed or removed: never more than one of these at a time, so that a
/// segment that is sealed has no reader, and its WAL can go.
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
