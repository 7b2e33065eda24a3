import SystemCalls

/// Calls on files, with errors that name the file.
enum Files {
    private static var calls: any FileCalls { SystemFileCalls.current }

    /// Whether an entry with this path exists.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether the path is that of a regular file: not a symbolic link, a directory or a pipe.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns a description of an entry that is not a regular file; `nil` if it is one, or does not exist.
    static func foreignKind(_ path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "it is a directory, not a file"
        case S_IFLNK: "it is a symbolic link, not a file"
        default: "it is not a regular file"
        }
    }

    /// Returns the size in bytes; 0 if the file does not exist.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the space, in bytes, that the file system of a path has left for this process; `nil` if it does not tell.
    static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }

    /// Returns the names in a directory except `.` and `..`, in byte order; `nil` if it does not exist.
    static func names(in path: String) throws(SQLiteJournalError) -> [String]? {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return nil }
            throw .system("read", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Creates a directory that only its owner can enter, and its parents, unless they exist.
    static func makeDirectory(_ path: String) throws(SQLiteJournalError) {
        if calls.makeDirectory(path) == 0 { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectory(String(path[..<slash]))
            if calls.makeDirectory(path) == 0 { return }
        }
        guard errno == EEXIST else { throw .system("create the directory", path) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed(path: path, operation: "create the directory", code: ENOTDIR)
        }
    }

    /// Opens a file. Only its owner can read and write a new one.
    static func open(_ path: String, _ flags: Int32) throws(SQLiteJournalError) -> Int32 {
        let calls = calls
        var descriptor = calls.open(path, flags | O_CLOEXEC)
        while descriptor < 0, errno == EINTR { descriptor = calls.open(path, flags | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(flags & O_CREAT != 0 ? "create" : "open", path) }
        return descriptor
    }

    /// Creates an empty file. Leaves an existing one as it is.
    static func makeFile(_ path: String) throws(SQLiteJournalError) {
        close(try open(path, O_WRONLY | O_CREAT))
    }

    /// Writes all bytes.
    ///
    /// - Parameter offset: The position in the file; `nil` for the position of the descriptor.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil, path: String
    ) throws(SQLiteJournalError) {
        let calls = calls
        var position = 0
        while position < bytes.count {
            // The system writes at most 2 GiB at once.
            let part = UnsafeRawBufferPointer(rebasing: bytes[position...].prefix(1 << 30))
            let count = calls.write(descriptor, part, at: offset.map { $0 + position })
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("write", path)
            }
            guard count > 0 else { throw .system("write", path, EIO) }
            position += count
        }
    }

    /// Reads to the end of `buffer` or of the file. Returns the number of bytes.
    ///
    /// - Parameter offset: The position in the file; `nil` for the position of the descriptor.
    static func read(
        _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int? = nil, path: String
    ) throws(SQLiteJournalError) -> Int {
        let calls = calls
        var position = 0
        while position < buffer.count {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[position...].prefix(1 << 30))
            let count = calls.read(descriptor, part, at: offset.map { $0 + position })
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("read", path)
            }
            position += count
        }
        return position
    }

    /// Waits until the file or directory of a descriptor is on disk.
    static func synchronize(_ descriptor: Int32, path: String) throws(SQLiteJournalError) {
        while calls.synchronize(descriptor) != 0 {
            guard errno == EINTR else { throw .system("write", path) }
        }
    }

    /// Waits until a file, or the names in a directory, are on disk.
    static func synchronize(_ path: String) throws(SQLiteJournalError) {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        try synchronize(descriptor, path: path)
    }

    /// Renames a file. Replaces the file that had the new name.
    static func rename(_ path: String, to other: String) throws(SQLiteJournalError) {
        guard calls.rename(path, to: other) == 0 else { throw .system("rename", path) }
    }

    /// Gives a file a second name.
    static func hardLink(_ path: String, to other: String) throws(SQLiteJournalError) {
        guard calls.link(path, to: other) == 0 else { throw .system("link", path) }
    }

    /// Returns the number of names of a file; `nil` if it does not exist, or cannot be looked at.
    static func linkCount(_ path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_nlink) : nil
    }

    /// Gives a file a second name, or copies it if the file system does not support hard links.
    static func link(_ path: String, to other: String) throws(SQLiteJournalError) {
        if calls.link(path, to: other) == 0 { return }
        try copy(path, to: other)
    }

    /// Copies a file.
    static func copy(_ path: String, to other: String) throws(SQLiteJournalError) {
        let source = try open(path, O_RDONLY)
        defer { close(source) }
        try copy(from: source, path: path, to: other)
    }

    /// Copies the file of a descriptor, from its position on, and waits until the copy is on disk.
    static func copy(from source: Int32, path: String, to other: String) throws(SQLiteJournalError) {
        let target = try open(other, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(target) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try read(buffer, from: source, path: path)
            if count == 0 { break }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target, path: other)
        }
        try synchronize(target, path: other)
    }

    /// Removes a file. Does nothing if it does not exist.
    static func remove(_ path: String) throws(SQLiteJournalError) {
        guard calls.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }
}
