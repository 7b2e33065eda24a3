import SystemCalls

/// A search for intact batches in the pages of a segment, without SQLite's trees: for segments that SQLite cannot read
/// completely. A row may come from anywhere in the files; it counts only if its own checksum is right.
///
/// The frames of a WAL are read independently. SQLite's checksum of a frame depends on the frame before, so that SQLite
/// ignores everything after one flipped bit. A row is never changed, so an older version of a page is as good as the
/// newest.
///
/// Each leaf is read once, and of each other page the first byte. The overflow pages of long rows are read row by row, at
/// most twice the size of the files (`overflowBudget`): damaged rows may share them.
///
/// Layout: https://www.sqlite.org/fileformat2.html, 1.6 (pages of trees), 2.1 (records), 4.1 (WAL).
final class PageScan {
    /// A file of the segment; without a descriptor if it does not exist.
    private struct Source {
        let path: String
        let descriptor: Int32?
        let size: Int
    }

    private let database: Source
    private let wal: Source
    private let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Segment.pageSize, alignment: 8)
    private let overflow = UnsafeMutableRawBufferPointer.allocate(byteCount: Segment.pageSize, alignment: 8)
    /// The offset of the newest version of each page in the WAL.
    private var walOffsets: [UInt32: Int] = [:]
    /// The number of bytes that may still be read from overflow pages.
    private var overflowBudget: Int
    private var payload: [UInt8] = []

    /// Opens the files of a segment that exist. No connection of this process may have the database open: closing one
    /// of its descriptors releases the locks of all (fcntl(2)).
    init(_ path: String) throws(SQLiteJournalError) {
        database = try Self.source(path)
        wal = try Self.source(path + WAL.suffix)
        overflowBudget = 2 * (database.size + wal.size)
    }

    deinit {
        for source in [database, wal] { if let descriptor = source.descriptor { close(descriptor) } }
        page.deallocate()
        overflow.deallocate()
    }

    private static func source(_ path: String) throws(SQLiteJournalError) -> Source {
        guard Files.isRegular(path) else { return Source(path: path, descriptor: nil, size: 0) }
        return Source(path: path, descriptor: try Files.open(path, O_RDONLY), size: Files.size(path))
    }

    /// Calls `body` once with each intact batch in `range` that is not `known`, in the order of the pages.
    ///
    /// - Returns: The sequences of rows that have a wrong checksum and no intact version, ascending.
    func forEachBatch(
        in range: ClosedRange<UInt64>, except known: Set<UInt64> = [], _ body: (StoredBatch) throws -> Void
    ) throws -> [UInt64] {
        var known = known
        var damaged: Set<UInt64> = []
        let pagesInWAL = (0..<WAL.frames(in: wal.size)).map { WAL.headerSize + $0 * WAL.frameSize }
        for offset in pagesInWAL { try recordOffset(offset) }
        let pages = (0..<database.size / Segment.pageSize).map { (database, $0 * Segment.pageSize) }
        for (source, offset) in pages + pagesInWAL.map({ (wal, $0 + WAL.frameHeaderSize) }) {
            guard try isLeaf(source, at: offset), try read(page, from: source, at: offset) else { continue }
            try forEachCell { cell in
                guard range.contains(cell.sequence), !known.contains(cell.sequence) else { return }
                let isFound = try withRow(cell) { row in
                    guard row.isIntact else { return false }
                    try body(row)
                    return true
                }
                if isFound { known.insert(cell.sequence) } else { damaged.insert(cell.sequence) }
            }
        }
        return damaged.subtracting(known).sorted()
    }

    /// Whether the page at an offset is a leaf of a table's tree, according to its first byte. The bytes of other pages are
    /// read only as parts of rows.
    private func isLeaf(_ source: Source, at offset: Int) throws(SQLiteJournalError) -> Bool {
        try read(UnsafeMutableRawBufferPointer(rebasing: page[..<1]), from: source, at: offset) && page[0] == 0x0D
    }

    private func recordOffset(_ offset: Int) throws(SQLiteJournalError) {
        let header = UnsafeMutableRawBufferPointer(rebasing: overflow[..<WAL.frameHeaderSize])
        guard try read(header, from: wal, at: offset) else { return }
        walOffsets[UInt32(bigEndian: header.load(as: UInt32.self))] = offset + WAL.frameHeaderSize
    }

    /// Reads bytes at an offset. Returns whether the buffer was filled. A place that cannot be read counts as damage.
    private func read(
        _ buffer: UnsafeMutableRawBufferPointer, from source: Source, at offset: Int
    ) throws(SQLiteJournalError) -> Bool {
        guard let descriptor = source.descriptor else { return false }
        do {
            return try Files.read(buffer, from: descriptor, at: offset, path: source.path) == buffer.count
        } catch .failed(_, _, EIO) {
            return false
        }
    }

    // MARK: Cells

    /// The location of a row in a page.
    private struct Cell {
        var sequence: UInt64
        /// The size of the complete row, in bytes.
        var size: Int
        /// The part of the row that is in this page.
        var local: Range<Int>
        /// The number of the first overflow page; 0 if there is none.
        var next: UInt32
    }

    /// Calls `body` with each row of the page, which is a leaf.
    private func forEachCell(_ body: (Cell) throws -> Void) throws {
        let bytes = UnsafeRawBufferPointer(page)
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard 8 + 2 * count <= bytes.count else { return }
        // Rows do not overlap: all together are not larger than the page.
        var left = bytes.count
        for index in 0..<count {
            let start = Int(bytes[8 + 2 * index]) << 8 | Int(bytes[9 + 2 * index])
            guard let cell = cell(at: start) else { continue }
            left -= cell.local.count
            guard left >= 0 else { return }
            try body(cell)
        }
    }

    private func cell(at start: Int) -> Cell? {
        let page = UnsafeRawBufferPointer(page)
        var offset = start
        guard let size = Varint.read(page, &offset), let sequence = Varint.read(page, &offset), size <= 1 << 31
        else { return nil }
        // Section 1.6: the part of a row that is in its leaf.
        let usable = page.count
        var local = Int(size)
        var next: UInt32 = 0
        if local > usable - 35 {
            let least = (usable - 12) * 32 / 255 - 23
            let fitting = least + (local - least) % (usable - 4)
            local = fitting <= usable - 35 ? fitting : least
            guard offset + local + 4 <= page.count else { return nil }
            next = UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset + local, as: UInt32.self))
            guard next != 0 else { return nil }
        }
        guard offset + local <= page.count else { return nil }
        return Cell(sequence: sequence, size: Int(size), local: offset..<offset + local, next: next)
    }

    /// Calls `body` with the row of a cell, and returns its result. Returns false if the row is not a batch, or cannot
    /// be read.
    private func withRow(_ cell: Cell, _ body: (StoredBatch) throws -> Bool) throws -> Bool {
        let local = UnsafeRawBufferPointer(rebasing: page[cell.local])
        // The header of the record is at its beginning.
        guard let shape = RecordShape(local), shape.size == cell.size else { return false }
        guard cell.next != 0 else { return try body(shape.batch(cell.sequence, in: local)) }
        guard try assemble(cell, local) else { return false }
        return try payload.withUnsafeBytes { try body(shape.batch(cell.sequence, in: $0)) }
    }

    private func assemble(_ cell: Cell, _ local: UnsafeRawBufferPointer) throws(SQLiteJournalError) -> Bool {
        guard overflowBudget >= cell.size else { return false }
        payload.removeAll(keepingCapacity: true)
        payload.append(contentsOf: local)
        var next = cell.next
        while payload.count < cell.size {
            overflowBudget -= overflow.count
            guard next != 0, overflowBudget >= 0 else { return false }
            let (source, offset) =
                walOffsets[next].map { (wal, $0) } ?? (database, (Int(next) - 1) * Segment.pageSize)
            guard try read(overflow, from: source, at: offset) else { return false }
            next = UInt32(bigEndian: overflow.load(as: UInt32.self))
            payload.append(contentsOf: overflow[4...].prefix(cell.size - payload.count))
        }
        return true
    }
}
