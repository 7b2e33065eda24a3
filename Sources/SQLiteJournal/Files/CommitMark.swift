import Checksums
import SystemCalls

/// The file that names the last batch committed and the epoch, so that a journal that was cut off is noticed: SQLite
/// takes what is before the damage for all there ever was. It tells the time, too, until which timers were handled
/// after that batch.
///
/// 40 bytes, numbers lowest byte first: sequence (8), epoch (8), CRC-32C of both (4), "mark" (4); time (8), CRC-32C of
/// sequence and time (4), "time" (4). Earlier ones end before the time. It is written over in place after each commit,
/// and before timers are handled, and not waited for: it may fall behind what is committed when the machine stops,
/// which does no harm.
final class CommitMark {
    struct Content: Hashable, Sendable {
        var sequence: UInt64 = 0
        var epoch: UInt64 = 0
        /// In ms by the broker's clock; 0: not told.
        var time: Int64 = 0
    }

    private static let size = 40
    private static let sizeWithoutTime = 24
    private static let magic: UInt32 = 0x6B72_616D
    private static let timeMagic: UInt32 = 0x656D_6974

    private let descriptor: Int32
    private let path: String

    /// Opens it for writing; made if it isn't there.
    init(_ folder: DataDirectory) throws(SQLiteJournalError) {
        path = folder.mark
        descriptor = try Files.open(path, O_RDWR | O_CREAT)
    }

    deinit {
        close(descriptor)
    }

    /// Writes it. Returns why it can't.
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

    /// Waits until it is on disk.
    func synchronize() throws(SQLiteJournalError) {
        try Files.synchronize(descriptor, path: path)
    }

    /// What a folder's mark says.
    ///
    /// - Throws: `SQLiteJournalError.damaged` when it isn't as it was written, or not there.
    static func read(_ folder: DataDirectory) throws(SQLiteJournalError) -> Content {
        if let kind = Files.foreignKind(folder.mark) { throw .damaged(path: folder.mark, reason: kind) }
        let descriptor = SystemCalls.open(folder.mark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .damaged(path: folder.mark, reason: "it is missing") }
            throw .system("open", folder.mark)
        }
        defer { close(descriptor) }
        // Beside a broker that writes it a reading may meet a half of two writings: the next one won't.
        for _ in 0..<16 {
            var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
            let count = withUnsafeMutableBytes(of: &words) { bytes in
                try? Files.read(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[..<Self.size]), from: descriptor, at: 0,
                    path: folder.mark)
            }
            guard let count else { throw .damaged(path: folder.mark, reason: "it cannot be read") }
            guard count == size || count == sizeWithoutTime else { break }
            var content = Content(sequence: UInt64(littleEndian: words.0), epoch: UInt64(littleEndian: words.1))
            guard UInt64(littleEndian: words.2) == check(magic, content.sequence, content.epoch) else { continue }
            guard max(content.sequence, content.epoch) <= DataDirectory.mostSequence else { break }
            if count == sizeWithoutTime { return content }
            let time = UInt64(littleEndian: words.3)
            guard UInt64(littleEndian: words.4) == check(timeMagic, content.sequence, time) else { continue }
            content.time = Int64(bitPattern: time)
            guard content.time.magnitude <= UInt64(StoredBatch.mostTime) else { break }
            return content
        }
        throw .damaged(path: folder.mark, reason: "its checksum is wrong")
    }

    /// What `read` gives or throws.
    static func result(_ folder: DataDirectory) -> Result<Content, SQLiteJournalError> {
        Result { () throws(SQLiteJournalError) in try read(folder) }
    }
}
