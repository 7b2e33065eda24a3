import PopupJournal

/// The result of reading one segment: its intact and its damaged batches.
struct Examination {
    /// The first sequence of the segment, according to its name.
    var first: UInt64
    /// The sequences that were searched for: those of the segment, after the snapshot.
    var range: ClosedRange<UInt64>
    /// The sequences of the intact batches.
    var intact = RangeSet<UInt64>()
    /// The sequences of batches with a wrong checksum, ascending.
    var damaged: [UInt64] = []
    /// The reason why parts of the file cannot be read; `nil` if all can.
    var damage: String?
    var metadata = SegmentReader.Metadata()
    /// The size of the commands in the intact batches, in bytes.
    var size = 0
    /// The time of the last intact batch.
    var lastTime: Int64?

    /// Reads the batches of a segment in `range`. Where SQLite's trees are damaged, it scans the pages.
    ///
    /// - Throws: `SQLiteJournalError` for causes other than damage: permissions, disk space, locks, a newer version.
    init(first: UInt64, path: String, range: ClosedRange<UInt64>) throws {
        self.first = first
        self.range = range
        var found: [UInt64] = []
        var last: (sequence: UInt64, time: Int64) = (0, 0)
        func take(_ row: StoredBatch) {
            found.append(row.sequence)
            size += row.commands.count
            if row.sequence >= last.sequence { last = (row.sequence, row.time) }
        }
        do {
            let reader = try SegmentReader(path)
            defer { reader.close() }
            metadata = try reader.metadata()
            let unread = try reader.forEachBatch(in: range) { row in
                if row.isIntact { take(row) } else { damaged.append(row.sequence) }
            }
            damage = metadata.damage ?? unread
        } catch SQLiteJournalError.damaged(_, let reason) {
            damage = reason
        }
        if damage != nil {
            damaged = try PageScan(path).forEachBatch(in: range, except: Set(found), take)
        }
        found.sort()
        intact = RangeSet(ascending: found)
        if !found.isEmpty { lastTime = last.time }
    }

    /// Whether everything that was read is undamaged.
    var isIntact: Bool { damage == nil && damaged.isEmpty }
    /// The sequence of the last intact batch.
    var last: UInt64? { intact.ranges.last.map { $0.upperBound - 1 } }
}

extension RangeSet<UInt64> {
    /// Creates the set of ascending numbers.
    init(ascending numbers: some Sequence<UInt64>) {
        self.init()
        var run: ClosedRange<UInt64>?
        for number in numbers {
            if let sofar = run, sofar.upperBound + 1 == number {
                run = sofar.lowerBound...number
            } else {
                if let run { insert(run) }
                run = number...number
            }
        }
        if let run { insert(run) }
    }

    mutating func insert(_ range: ClosedRange<UInt64>) {
        insert(contentsOf: range.lowerBound..<range.upperBound + 1)
    }

    mutating func remove(_ range: ClosedRange<UInt64>) {
        remove(contentsOf: range.lowerBound..<range.upperBound + 1)
    }

    /// The ranges of the set, ends included.
    var closedRanges: [ClosedRange<UInt64>] { ranges.map { $0.lowerBound...$0.upperBound - 1 } }
}
