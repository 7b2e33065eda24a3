import SystemCalls

/// The calls by which the journal opens, reads and changes files, except those of SQLite. Tests replace the system's
/// calls. The results are those of the system's calls, which set `errno`.
package protocol FileCalls: Sendable {
    /// Opens a file. Only its owner can read and write a new one.
    func open(_ path: String, _ flags: Int32) -> Int32
    /// Reads from `offset` on, or from the position of the descriptor if it is `nil`.
    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int
    /// Writes from `offset` on, or from the position of the descriptor if it is `nil`.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int
    /// Waits until the file or directory of a descriptor is on disk.
    func synchronize(_ descriptor: Int32) -> Int32
    /// Gives a file another name.
    func rename(_ path: String, to other: String) -> Int32
    /// Gives a file a second name.
    func link(_ path: String, to other: String) -> Int32
    /// Removes a name of a file.
    func unlink(_ path: String) -> Int32
    /// Creates a directory that only its owner can enter.
    func makeDirectory(_ path: String) -> Int32
}

/// The calls of the system.
package struct SystemFileCalls: FileCalls {
    /// The calls that the journals of this task make.
    @TaskLocal package static var current: any FileCalls = SystemFileCalls()

    package init() {}

    package func open(_ path: String, _ flags: Int32) -> Int32 { SystemCalls.open(path, flags, 0o600) }

    package func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
        guard let offset else { return SystemCalls.read(descriptor, buffer.baseAddress, buffer.count) }
        return pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int {
        guard let offset else { return SystemCalls.write(descriptor, bytes.baseAddress, bytes.count) }
        return pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    package func synchronize(_ descriptor: Int32) -> Int32 { fsync(descriptor) }
    package func rename(_ path: String, to other: String) -> Int32 { SystemCalls.rename(path, other) }
    package func link(_ path: String, to other: String) -> Int32 { SystemCalls.link(path, other) }
    package func unlink(_ path: String) -> Int32 { SystemCalls.unlink(path) }
    package func makeDirectory(_ path: String) -> Int32 { mkdir(path, 0o700) }
}
