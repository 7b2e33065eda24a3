import Foundation
import SQLiteJournal

/// The system's calls, some of which are recorded, and some of which fail when a test wants it. For one thread.
final class RecordedFileCalls: FileCalls, @unchecked Sendable {
    private let system = SystemFileCalls()
    /// The writes and synchronizations so far.
    private(set) var record: [String] = []
    var canLink = true
    var canUnlink = true
    /// The number of writes after which the disk is full.
    var writesUntilFull = Int.max

    func open(_ path: String, _ flags: Int32) -> Int32 { system.open(path, flags) }

    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
        system.read(descriptor, buffer, at: offset)
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int {
        guard writesUntilFull > 0 else {
            errno = ENOSPC
            return -1
        }
        writesUntilFull -= 1
        record.append("write \(bytes.count) at \(offset.map(String.init) ?? "its position")")
        return system.write(descriptor, bytes, at: offset)
    }

    func synchronize(_ descriptor: Int32) -> Int32 {
        record.append("synchronize")
        return system.synchronize(descriptor)
    }

    func rename(_ path: String, to other: String) -> Int32 { system.rename(path, to: other) }

    func link(_ path: String, to other: String) -> Int32 {
        guard canLink else {
            errno = EPERM
            return -1
        }
        return system.link(path, to: other)
    }

    func unlink(_ path: String) -> Int32 {
        guard canUnlink else {
            errno = EIO
            return -1
        }
        return system.unlink(path)
    }

    func makeDirectory(_ path: String) -> Int32 { system.makeDirectory(path) }
}
