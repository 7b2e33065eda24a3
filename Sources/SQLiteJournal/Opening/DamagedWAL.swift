import Glibc

/// A WAL of which SQLite reads only what is before its damage.
///
/// Each frame's checksum in a WAL goes on from the frame before, so that one flipped bit makes all that follows unreadable,
/// though it is there. Here every frame that belongs to the WAL is taken as it lies, damaged or not, and put into a copy of
/// the database. What comes of that may be wrong anywhere: only rows whose own checksum fits are used of it.
///
/// Layout (https://www.sqlite.org/fileformat2.html#walformat), highest byte first: a header of 32 bytes with the page size
/// at 8 and two salts at 16; then frames: a header of 24 bytes with the page's number at 0 and the salts at 8, the page.
enum DamagedWAL {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Makes a database at `target` of one at `path` and all frames of its WAL.
    static func restore(_ path: String, to target: String) throws(SQLiteJournalError) {
        try Segment.remove(target)
        try Files.copy(path, to: target)
        let output = try Files.open(target, O_RDWR)
        defer { close(output) }
        let input = try Files.open(path + "-wal", O_RDONLY)
        defer { close(input) }
        let header = UnsafeMutableRawBufferPointer.allocate(byteCount: headerSize, alignment: 8)
        defer { header.deallocate() }
        _ = try Files.read(header, from: input, path: path)
        let salts = UnsafeMutableRawBufferPointer(rebasing: header[16..<24])
        // The header may be what is damaged: the pages have one size, and most frames agree about the salts.
        let size = Segment.pageSize
        let frame = UnsafeMutableRawBufferPointer.allocate(byteCount: frameHeaderSize + size, alignment: 8)
        defer { frame.deallocate() }
        var isFirst = true
        while try Files.read(frame, from: input, path: path) == frame.count {
            if isFirst { salts.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[8..<16])) }
            isFirst = false
            let number = UInt32(bigEndian: frame.load(as: UInt32.self))
            guard number > 0, number < 1 << 20, frame[8..<16].elementsEqual(salts) else { continue }
            let page = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(frame)[frameHeaderSize...])
            guard pwrite(output, page.baseAddress, size, off_t(number - 1) * off_t(size)) == size else {
                throw .system("write", target)
            }
        }
        // A database without a WAL: bytes 18 and 19 of its header.
        var versions: (UInt8, UInt8) = (1, 1)
        guard pwrite(output, &versions, 2, 18) == 2 else { throw .system("write", target) }
    }
}
