import SystemCalls

/// The WAL that is written in advance for the next segment: zeros, in small pieces, so that an append that meets one of
/// them at the disk waits for little.
///
/// The file of a sealed segment's WAL is used again: its blocks need not be allocated, and none are freed, for either of
/// which the file system holds up each fsync. All of it is overwritten, since a search for the batches of a damaged
/// segment would take old frames for its own.
struct WALReserve {
    /// The size of a piece, in bytes.
    static let pieceBytes = 256 << 10

    /// The path of the file while it is written.
    let path: String
    /// The size that the WAL has at least, in bytes; 0 if none is wanted.
    let bytes: Int
    // Where it is.
    private let directory: String
    // The size of the file; 0 as long as there is none.
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

    /// Keeps the WAL of a segment by another name while it is sealed, unless there is a file already, or the WAL is smaller
    /// than the size that is wanted.
    ///
    /// - Parameter seal: Moves the WAL into the database and removes it, as it is if the argument is true.
    mutating func keepWAL(of segment: String, while seal: (_ keepsWAL: Bool) throws -> Void) throws {
        let wal = segment + WAL.suffix
        let found = Files.size(wal)
        guard bytes > 0, size == 0, found >= bytes, (try? Files.remove(path)) != nil,
            (try? Files.link(wal, to: path)) != nil
        else { return try seal(false) }
        defer {
            // As long as SQLite has not removed it, it belongs to the segment.
            if Files.exists(wal) { remove() } else { size = found }
        }
        try seal(true)
    }

    /// Writes zeros up to an offset, and waits for each piece until it is on disk. The first piece covers the header of a
    /// former WAL, without which SQLite takes the file for empty. Does nothing where less space than twice the size is
    /// left: commits need it.
    ///
    /// - Parameter isWanted: Whether the reserve is still wanted; called before each piece. If not, the file is removed.
    mutating func write(upTo offset: Int, while isWanted: () -> Bool) throws(SQLiteJournalError) {
        guard bytes > 0, offset > written, !isComplete else { return }
        if size == 0, let free = Files.freeBytes(at: directory), free < 2 * bytes { return }
        let end = min(offset, max(size, bytes))
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            let descriptor = try Files.open(path, O_WRONLY | O_CREAT | (size == 0 ? O_TRUNC : 0))
            defer { close(descriptor) }
            size = max(size, bytes)
            while written < end {
                guard isWanted() else { return remove() }
                let piece = UnsafeRawBufferPointer(rebasing: zeros[..<min(Self.pieceBytes, size - written)])
                try Files.write(piece, to: descriptor, at: written, path: path)
                try Files.synchronize(descriptor, path: path)
                written += piece.count
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Gives the complete file to a segment that is not in use, as its WAL. Returns whether there is one.
    mutating func give(to segment: String) throws(SQLiteJournalError) -> Bool {
        guard isComplete else { return false }
        try Files.rename(path, to: segment + WAL.suffix)
        (size, written) = (0, 0)
        return true
    }

    /// Removes the file.
    mutating func remove() {
        try? Files.remove(path)
        (size, written) = (0, 0)
    }
}
