import SystemCalls

/// The WAL that is written in advance for the next segment: zeros, in small pieces, so that an append that meets one of
/// them at the disk waits for little.
///
/// The file of a sealed segment's WAL is used again: no blocks are allocated or freed, while the file system delays every
/// fsync for either. All of it is overwritten, since a search for the batches of a damaged segment would take old frames
/// for its own.
struct WALReserve {
    /// The size of a piece, in bytes.
    static let pieceBytes = 256 << 10
    // The first piece: the header of a former WAL with a part of its first frame, in one block of the disk. It is on disk
    // before anything else is overwritten. So after a power failure, a WAL whose name comes back is whole or has no header.
    private static let firstBytes = 4096
    // A WAL is not kept if it is larger than the size that is wanted by more than this fraction. The last batch of a segment
    // exceeds its size.
    private static let slack = 8

    /// The path of the file while it is written.
    let path: String
    /// The size that the WAL has at least, in bytes; 0 if none is wanted.
    let bytes: Int
    // The directory of `path`.
    private let directory: String
    // The size of the file; 0 if it does not exist.
    private var size = 0
    // The bytes from the beginning of the file that are zeros, on disk.
    private var written = 0

    init(path: String, bytes: Int) {
        self.path = path
        directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        self.bytes = bytes
    }

    /// Whether there is a file, and all of it is written.
    var isComplete: Bool { size > 0 && written == size }

    /// Keeps the WAL of a segment under a second name when it is sealed, unless there is a file already, the WAL has not the
    /// size that is wanted, or the disk is nearly full.
    ///
    /// - Parameter seal: Moves the WAL into the database and removes it, without truncating it if the argument is true.
    mutating func keepWAL(of segment: String, while seal: (_ keepsWAL: Bool) throws -> Void) throws {
        let wal = segment + WAL.suffix
        let found = Files.size(wal)
        guard bytes > 0, size == 0, found >= bytes, found - bytes <= bytes / Self.slack, hasSpace,
            (try? Files.remove(path)) != nil, (try? Files.hardLink(wal, to: path)) != nil
        else { return try seal(false) }
        defer {
            // As long as SQLite has not removed it, it belongs to the segment.
            if Files.linkCount(path) == 1 { size = found } else { remove() }
        }
        try seal(true)
    }

    /// Writes zeros up to an offset, and waits for each piece until it is on disk. Creates no file where less space than
    /// twice the size is left: commits need it.
    ///
    /// - Parameter isWanted: Whether the reserve is still wanted; called before each piece. If not, the file is removed.
    mutating func write(upTo offset: Int, while isWanted: () -> Bool) throws(SQLiteJournalError) {
        guard bytes > 0, offset > written, !isComplete else { return }
        if size == 0, !hasSpace { return }
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            let descriptor = try openFile()
            defer { close(descriptor) }
            let end = min(offset, size)
            while written < end {
                guard isWanted() else { return remove() }
                let next = written == 0 ? Self.firstBytes : (written / Self.pieceBytes + 1) * Self.pieceBytes
                let piece = UnsafeRawBufferPointer(rebasing: zeros[..<(min(next, size) - written)])
                try Files.write(piece, to: descriptor, at: written, path: path)
                try Files.synchronize(descriptor, path: path)
                written += piece.count
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Opens the file, or creates it. An existing one that has another name, or that is not this one, is never opened.
    private mutating func openFile() throws(SQLiteJournalError) -> Int32 {
        if size > 0, Files.linkCount(path) == 1 { return try Files.open(path, O_WRONLY) }
        try Files.remove(path)
        let descriptor = try Files.open(path, O_WRONLY | O_CREAT | O_EXCL)
        (size, written) = (bytes, 0)
        return descriptor
    }

    /// Gives the complete file to a segment that is not in use, as its WAL. Returns whether there is one.
    mutating func give(to segment: String) throws(SQLiteJournalError) -> Bool {
        guard isComplete else { return false }
        do {
            try Files.rename(path, to: segment + WAL.suffix)
        } catch {
            remove()
            throw error
        }
        (size, written) = (0, 0)
        return true
    }

    /// Removes the file.
    mutating func remove() {
        try? Files.remove(path)
        (size, written) = (0, 0)
    }

    private var hasSpace: Bool { Files.freeBytes(at: directory).map { $0 >= 2 * bytes } ?? true }
}
