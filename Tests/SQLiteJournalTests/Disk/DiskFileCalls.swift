import Glibc
import SQLiteJournal

/// The calls of the journal itself (not those of SQLite), on the simulated disks.
struct DiskFileCalls: FileCalls {
    private let system = SystemFileCalls()
    let disk: SimulatedDisk

    func open(_ path: String, _ flags: Int32) -> Int32 {
        guard disk.holds(path) else { return system.open(path, flags) }
        guard flags & O_CREAT != 0, SimulatedDisk.number(path) == nil else {
            return disk.read() ? system.open(path, flags) : failing(.failed)
        }
        var descriptor: Int32 = -1
        let answer = disk.add(path) {
            descriptor = system.open(path, flags)
            return descriptor >= 0
        }
        return answer == .done ? descriptor : failing(answer)
    }

    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
        guard disk.read() else { return Int(failing(.failed)) }
        return system.read(descriptor, buffer, at: offset)
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int {
        let place = offset ?? Int(lseek(descriptor, 0, SEEK_CUR))
        let (count, answer) = disk.write(bytes, to: SimulatedDisk.number(descriptor) ?? 0, at: place) { count in
            system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
        }
        // A short write, and nothing at all the next time.
        return count > 0 || answer == .done ? count : Int(failing(answer))
    }

    func synchronize(_ descriptor: Int32) -> Int32 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return -1 }
        let path = Self.path(of: descriptor)
        let answer =
            status.st_mode & S_IFMT == S_IFDIR
            ? disk.synchronizeNames(in: path) : disk.synchronize(UInt64(status.st_ino), path: path)
        return answer == .done ? 0 : failing(answer)
    }

    func rename(_ path: String, to other: String) -> Int32 {
        checked { disk.rename(path, to: other) { system.rename(path, to: other) == 0 } }
    }

    func link(_ path: String, to other: String) -> Int32 {
        checked { disk.add(other) { system.link(path, to: other) == 0 } }
    }

    func unlink(_ path: String) -> Int32 {
        guard SimulatedDisk.number(path) != nil else { return system.unlink(path) }
        return checked { disk.remove(path) { system.unlink(path) == 0 } }
    }

    func makeDirectory(_ path: String) -> Int32 {
        guard disk.holds(path), path != disk.directory, SimulatedDisk.number(path) == nil else {
            return system.makeDirectory(path)
        }
        return checked { disk.add(path, isDirectory: true) { system.makeDirectory(path) == 0 } }
    }

    private func checked(_ call: () -> SimulatedDisk.Answer) -> Int32 {
        errno = 0
        let answer = call()
        guard answer != .done else { return 0 }
        // The system's own reason, where it has one.
        return errno == 0 ? failing(answer) : -1
    }

    private func failing(_ answer: SimulatedDisk.Answer) -> Int32 {
        errno = answer == .full ? ENOSPC : EIO
        return -1
    }

    private static func path(of descriptor: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
        return String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
