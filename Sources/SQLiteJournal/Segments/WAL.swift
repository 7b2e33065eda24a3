import SystemCalls

/// The write-ahead log of a segment, as a file beside SQLite, which writes it.
///
/// A WAL that grows costs each fsync a commit of the file system, since its size and its blocks change. Where its blocks
/// are written before, an append writes over zeros, and waits for its own bytes alone: measured on ext4, the median of an
/// fsync halves, and no append waits while the file system frees the blocks of other files.
///
/// Layout: https://www.sqlite.org/fileformat2.html, 4.1.
enum WAL {
    /// The size of the header of the file, in bytes.
    static let headerSize = 32
    /// The size of the header of a frame, in bytes.
    static let frameHeaderSize = 24
    /// The size of a frame, which has one page, in bytes.
    static let frameSize = frameHeaderSize + Segment.pageSize

    /// The maximum size of a WAL that is written before it is used, in bytes.
    static let maxReserved = 64 << 20

    /// The suffix of its name, after that of its database.
    static let suffix = "-wal"

    // The first bytes of the header, without the last bit: it tells the byte order of the checksums.
    private static let magic: UInt32 = 0x377F_0682
    // The place of the salts in the headers of the file and of a frame. A frame counts if it has those of the file.
    private static let (salts, frameSalts) = (16..<24, 8..<16)

    /// Returns the number of frames for which a file of a size in bytes has room.
    static func frames(in size: Int) -> Int { max(size - headerSize, 0) / frameSize }

    /// Returns the size of what SQLite has written to a segment's WAL, in bytes; 0 without a WAL, or if it cannot be read.
    ///
    /// The frames in use are the first ones, so the search for their end reads about 15 headers.
    static func usedBytes(of segment: String) -> Int {
        let path = segment + suffix
        let size = Files.size(path)
        guard size > headerSize, let descriptor = try? Files.open(path, O_RDONLY) else { return 0 }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: headerSize, alignment: 8) { header in
            withUnsafeTemporaryAllocation(byteCount: frameHeaderSize, alignment: 8) { frame in
                let read = { (buffer: UnsafeMutableRawBufferPointer, offset: Int) in
                    (try? Files.read(buffer, from: descriptor, at: offset, path: path)) == buffer.count
                }
                guard read(header, 0), UInt32(bigEndian: header.load(as: UInt32.self)) & ~1 == magic else { return 0 }
                var (used, end) = (0, frames(in: size))
                while used < end {
                    let middle = (used + end) / 2
                    if read(frame, headerSize + middle * frameSize), frame[frameSalts].elementsEqual(header[salts]) {
                        used = middle + 1
                    } else {
                        end = middle
                    }
                }
                return headerSize + used * frameSize
            }
        }
    }
}
