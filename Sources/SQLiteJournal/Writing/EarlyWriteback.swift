import Dispatch
import SystemCalls

/// A thread of the system's pool that writes the pages of a file to the disk while they are changed.
///
/// A checkpoint changes up to a segment's size of pages, and ends with an fsync. Where that finds them all in the
/// system's cache, it keeps the disk busy for tens of milliseconds, and each append waits as long.
struct EarlyWriteback: Sendable {
    // The pages that are changed in this time are what an append may have to wait for.
    private static let interval = DispatchTimeInterval.milliseconds(1)

    private let queue = DispatchQueue(label: "popup-broker.writeback", qos: .utility)

    /// Calls `body`, and writes what it changes in a file meanwhile. If the file cannot be opened, its pages are
    /// written by the fsync alone.
    ///
    /// The file is closed after `body`: closing it releases every POSIX lock that the process holds on it, SQLite's
    /// included. So no other connection of the process may have it open.
    func run(of path: String, while body: () throws -> Void) rethrows {
        let ended = DispatchSemaphore(value: 0)
        queue.async {
            guard let descriptor = try? Files.open(path, O_RDONLY) else { return }
            defer { close(descriptor) }
            while ended.wait(timeout: .now() + Self.interval) == .timedOut { Writeback.write(descriptor) }
        }
        defer {
            ended.signal()
            queue.sync {}
        }
        try body()
    }
}
