import Glibc

/// The file that names the last batch committed and the epoch, so that a journal that was cut off is noticed: SQLite takes
/// what is before the damage for all there ever was.
///
/// 24 bytes, numbers lowest byte first: sequence (8), epoch (8), CRC-32C of both (4), "mark" (4). It is written over in
/// place after each commit and not waited for: it may fall behind what is committed when the machine stops, which does no
/// harm.
final class Mark {
    struct Content: Hashable, Sendable {
        var sequence: UInt64 = 0
        var epoch: UInt64 = 0
    }

    private static let size = 24
    private static let magic: UInt32 = 0x6B72_616D

    private let descriptor: Int32
    private let path: String

    /// Opens it for writing; made if it isn't there.
    init(_ folder: DataFolder) throws(SQLiteJournalError) {
        path = folder.mark
        descriptor = try Files.open(path, O_RDWR | O_CREAT)
    }

    deinit {
        close(descriptor)
    }

    /// Writes it. Returns an `errno` when it can't.
    func write(_ content: Content) -> Int32? {
        var words = (
            content.sequence.littleEndian, content.epoch.littleEndian,
            (UInt64(Self.magic) << 32 | UInt64(CRC32C.checksum(of: content.sequence, content.epoch))).littleEndian
        )
        return withUnsafeBytes(of: &words) { bytes in
            pwrite(descriptor, bytes.baseAddress, Self.size, 0) == Self.size ? nil : errno
        }
    }

    /// Waits until it is on disk.
    func synchronize() throws(SQLiteJournalError) {
        try Files.synchronize(descriptor, path: path)
    }

    /// What a folder's mark says.
    ///
    /// - Throws: `SQLiteJournalError.damaged` when it isn't as it was written, or not there.
    static func read(_ folder: DataFolder) throws(SQLiteJournalError) -> Content {
        let descriptor = Glibc.open(folder.mark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .damaged(path: folder.mark, reason: "it is missing") }
            throw .system("open", folder.mark)
        }
        defer { close(descriptor) }
        // Beside a broker that writes it a reading may meet a half of two writings: the next one won't.
        for _ in 0..<16 {
            var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
            let count = withUnsafeMutableBytes(of: &words) { pread(descriptor, $0.baseAddress, Self.size, 0) }
            guard count == size else { break }
            let content = Content(sequence: UInt64(littleEndian: words.0), epoch: UInt64(littleEndian: words.1))
            let check = UInt64(littleEndian: words.2)
            if check == UInt64(magic) << 32 | UInt64(CRC32C.checksum(of: content.sequence, content.epoch)) {
                return content
            }
        }
        throw .damaged(path: folder.mark, reason: "its checksum doesn't fit")
    }

    /// What `read` gives or throws.
    static func result(_ folder: DataFolder) -> Result<Content, SQLiteJournalError> {
        Result { () throws(SQLiteJournalError) in try read(folder) }
    }
}
