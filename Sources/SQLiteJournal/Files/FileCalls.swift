import SystemCalls

/// The calls by which the journal opens, reads and changes files, but for those that SQLite makes: the system's, unless a
/// test puts others in their place. They return what the system's do, and set `errno`.
package protocol FileCalls: Sendable {
    /// Opens a file; a new one can be read and written by its owner only.
    func open(_ path: String, _ flags: Int32) -> Int32
    /// Reads from `offset` on; `nil`: from where the descriptor is.
    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int
    /// Writes from `offset` on; `nil`: from where the descriptor is.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int?) -> Int
    /// Waits until what a descriptor stands for is on disk.
    func synchronize(_ descriptor: Int32) -> Int32
    /// Gives a file another name.
    func rename(_ path: String, to other: String) -> Int32
    /// Gives a file a second name.
    func link(_ path: String, to other: String) -> Int32
    /// Takes a name from a file.
    func unlink(_ path: String) -> Int32
    /// Makes a folder that only its owner can enter.
    func makeFolder(_ path: String) -> Int32
}

/// The system's own calls.
package struct SystemFileCalls: FileCalls {
    /// Those that this task's journals make.
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
    package func makeFolder(_ path: String) -> Int32 { mkdir(path, 0o700) }
}
