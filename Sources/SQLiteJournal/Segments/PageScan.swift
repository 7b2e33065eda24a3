import SystemCalls

/// The batches that lie whole in a segment's pages, found without its trees: for segments that SQLite can't read, or not to
/// the end. What is found may come from anywhere in the files; only rows whose own checksum fits are used of it.
///
/// A WAL's frames are taken as they lie. SQLite's checksum of a frame goes on from the frame before, so that for SQLite one
/// flipped bit makes all that follows unreadable, though it is there. No row is ever changed: an older page is as good.
///
/// Each page is read once, and for rows that are longer than a page as much again at most (`overflowBudget`).
///
/// Layout: https://www.sqlite.org/fileformat2.html, 1.6 (pages of trees), 2.1 (records), 4.1 (WAL).
final class PageScan {
    private static let walHeaderSize = 32
    private static let frameHeaderSize = 24

    /// A file, or none.
    private struct Source {
        let path: String
        let descriptor: Int32?
        let size: Int
    }

    private let database: Source
    private let wal: Source
    private let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Segment.pageSize, alignment: 8)
    private let overflow = UnsafeMutableRawBufferPointer.allocate(byteCount: Segment.pageSize, alignment: 8)
    /// Where the newest version of a page lies in the WAL.
    private var places: [UInt32: Int] = [:]
    /// In bytes: what may still be read of pages that rows go on in.
    private var overflowBudget: Int
    private var payload: [UInt8] = []

    /// Opens the files of a segment, as far as they are there. No connection of this process may have it open: closing a
    /// database's file lets go of its locks (fcntl(2)).
    init(_ path: String) throws(SQLiteJournalError) {
        database = try Self.source(path)
        wal = try Self.source(path + "-wal")
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

    /// Calls `body` with each batch in `range` that is whole and not `known`, once, in the order in which they lie.
    ///
    /// - Returns: The sequences of rows whose checksum doesn't fit and that were not found elsewhere, ascending.
    func forEachBatch(
        in range: ClosedRange<UInt64>, except known: Set<UInt64> = [], _ body: (StoredBatch) throws -> Void
    ) throws -> [UInt64] {
        var known = known
        var damaged: Set<UInt64> = []
        let frameSize = Self.frameHeaderSize + Segment.pageSize
        let frames = max(wal.size - Self.walHeaderSize, 0) / frameSize
        let pagesInWAL = (0..<frames).map { Self.walHeaderSize + $0 * frameSize }
        for place in pagesInWAL { try notePlace(place) }
        let pages = (0..<database.size / Segment.pageSize).map { (database, $0 * Segment.pageSize) }
        for (source, offset) in pages + pagesInWAL.map({ (wal, $0 + Self.frameHeaderSize) }) {
            guard try read(page, from: source, at: offset) else { continue }
            try forEachCell { cell in
                guard range.contains(cell.sequence), !known.contains(cell.sequence) else { return }
                let isFound = try withRow(cell) { row in
                    guard row.isWhole else { return false }
                    try body(row)
                    return true
                }
                if isFound { known.insert(cell.sequence) } else { damaged.insert(cell.sequence) }
            }
        }
        return damaged.subtracting(known).sorted()
    }

    private func notePlace(_ place: Int) throws(SQLiteJournalError) {
        let header = UnsafeMutableRawBufferPointer(rebasing: overflow[..<Self.frameHeaderSize])
        guard try read(header, from: wal, at: place) else { return }
        places[UInt32(bigEndian: header.load(as: UInt32.self))] = place + Self.frameHeaderSize
    }

    /// Whether the whole buffer could be filled. A place that can't be read is damage as any other.
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

    /// A row as it lies in a page.
    private struct Cell {
        var sequence: UInt64
        /// In bytes: the whole row.
        var size: Int
        /// What of it lies in this page.
        var local: Range<Int>
        /// Where it goes on; 0: it doesn't.
        var next: UInt32
    }

    /// Calls `body` with each row of the page, if it is a leaf of a table's tree.
    private func forEachCell(_ body: (Cell) throws -> Void) throws {
        let bytes = UnsafeRawBufferPointer(page)
        guard bytes[0] == 0x0D else { return }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard 8 + 2 * count <= bytes.count else { return }
        // Rows don't overlap: no page has more of them than bytes.
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
        var place = start
        guard let size = Varint.read(page, &place), let sequence = Varint.read(page, &place), size <= 1 << 31
        else { return nil }
        // 1.6: what of a row stays in its leaf.
        let usable = page.count
        var local = Int(size)
        var next: UInt32 = 0
        if local > usable - 35 {
            let least = (usable - 12) * 32 / 255 - 23
            let fitting = least + (local - least) % (usable - 4)
            local = fitting <= usable - 35 ? fitting : least
            guard place + local + 4 <= page.count else { return nil }
            next = UInt32(bigEndian: page.loadUnaligned(fromByteOffset: place + local, as: UInt32.self))
            guard next != 0 else { return nil }
        }
        guard place + local <= page.count else { return nil }
        return Cell(sequence: sequence, size: Int(size), local: place..<place + local, next: next)
    }

    /// Calls `body` with the row of a cell. Returns false when it is no batch's, or can't be read.
    private func withRow(_ cell: Cell, _ body: (StoredBatch) throws -> Bool) throws -> Bool {
        let local = UnsafeRawBufferPointer(rebasing: page[cell.local])
        // What it says of itself is at its beginning.
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
                places[next].map { (wal, $0) } ?? (database, (Int(next) - 1) * Segment.pageSize)
            guard try read(overflow, from: source, at: offset) else { return false }
            next = UInt32(bigEndian: overflow.load(as: UInt32.self))
            payload.append(contentsOf: overflow[4...].prefix(cell.size - payload.count))
        }
        return true
    }
}
