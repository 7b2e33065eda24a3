import Checksums
import SystemCalls

/// The file with the sequence of the last committed batch, the epoch, and the time up to which timers were handled
/// after that batch. It reveals that a journal was truncated: SQLite itself takes the part before the damage for all
/// there is.
///
/// 40 bytes, little-endian: sequence (8), epoch (8), CRC-32C of both (4), "mark" (4); time (8), CRC-32C of sequence and
/// time (4), "time" (4). An older mark ends before the time. The mark is overwritten in place after each commit and
/// before timers are handled, without waiting for the disk. So after a power failure it may be older than the last
/// commit, which does no harm.
final class CommitMark {
    struct Content: Hashable, Sendable {
        var sequence: UInt64 = 0
        var epoch: UInt64 = 0
        /// The time in ms by the broker's clock; 0 if it is not known.
        var time: Int64 = 0
    }

    private static let size = 40
    private static let sizeWithoutTime = 24
    private static let magic: UInt32 = 0x6B72_616D
    private static let timeMagic: UInt32 = 0x656D_6974

    private let descriptor: Int32
    private let path: String

    /// Opens the mark of a directory for writing. Creates it if it does not exist.
    init(_ directory: DataDirectory) throws(SQLiteJournalError) {
        path = directory.mark
        descriptor = try Files.open(path, O_RDWR | O_CREAT)
    }

    deinit {
        close(descriptor)
    }

    /// Overwrites the mark. Returns the error if that fails.
    func write(_ content: Content) -> SQLiteJournalError? {
        let time = UInt64(bitPattern: content.time)
        var words = (
            content.sequence.littleEndian, content.epoch.littleEndian,
            Self.check(Self.magic, content.sequence, content.epoch).littleEndian, time.littleEndian,
            Self.check(Self.timeMagic, content.sequence, time).littleEndian
        )
        return withUnsafeBytes(of: &words) { bytes in
            do throws(SQLiteJournalError) {
                try Files.write(bytes, to: descriptor, at: 0, path: path)
                return nil
            } catch {
                return error
            }
        }
    }

    private static func check(_ magic: UInt32, _ one: UInt64, _ other: UInt64) -> UInt64 {
        UInt64(magic) << 32 | UInt64(CRC32C.checksum(of: one, other))
    }

    /// Waits until the mark is on disk.
    func synchronize() throws(SQLiteJournalError) {
        try Files.synchronize(descriptor, path: path)
    }

    /// Returns the content of a directory's mark.
    ///
    /// - Throws: `SQLiteJournalError.damaged` if it is damaged or missing.
    static func read(_ directory: DataDirectory) throws(SQLiteJournalError) -> Content {
        if let kind = Files.foreignKind(directory.mark) { throw .damaged(path: directory.mark, reason: kind) }
        let descriptor = SystemCalls.open(directory.mark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .damaged(path: directory.mark, reason: "it is missing") }
            throw .system("open", directory.mark)
        }
        defer { close(descriptor) }
        // While a broker overwrites the mark, a read may return parts of two versions: it is repeated.
        for _ in 0..<16 {
            var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
            let count = withUnsafeMutableBytes(of: &words) { bytes in
                try? Files.read(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[..<Self.size]), from: descriptor, at: 0,
                    path: directory.mark)
            }
            guard let count else { throw .damaged(path: directory.mark, reason: "it cannot be read") }
            guard count == size || count == sizeWithoutTime else { break }
            var content = Content(sequence: UInt64(littleEndian: words.0), epoch: UInt64(littleEndian: words.1))
            guard UInt64(littleEndian: words.2) == check(magic, content.sequence, content.epoch) else { continue }
            guard max(content.sequence, content.epoch) <= DataDirectory.maxSequence else { break }
            if count == sizeWithoutTime { return content }
            let time = UInt64(littleEndian: words.3)
            guard UInt64(littleEndian: words.4) == check(timeMagic, content.sequence, time) else { continue }
            content.time = Int64(bitPattern: time)
            guard content.time.magnitude <= UInt64(StoredBatch.maxTime) else { break }
            return content
        }
        throw .damaged(path: directory.mark, reason: "its checksum is wrong")
    }

    /// Returns the result of `read`.
    static func result(_ directory: DataDirectory) -> Result<Content, SQLiteJournalError> {
        Result { () throws(SQLiteJournalError) in try read(directory) }
    }
}
