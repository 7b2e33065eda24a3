import PopupJournal

/// What a segment was found to hold of the batches from one on.
struct Examination {
    /// Its first sequence by its name.
    var first: UInt64
    /// The batches that were looked for: its own, from the one after the snapshot on.
    var range: ClosedRange<UInt64>
    /// The batches that are whole.
    var whole = RangeSet<UInt64>()
    /// The batches whose checksum doesn't fit, ascending.
    var damaged: [UInt64] = []
    /// Why not all of the file can be read; `nil` when all can.
    var damage: String?
    var notes = SegmentReader.Notes()
    /// In bytes: the commands of the batches that are whole.
    var size = 0
    /// Of the last batch that is whole.
    var lastTime: Int64?

    /// Reads a segment's batches in `range`, without the trees of SQLite where these are damaged.
    ///
    /// - Throws: What isn't the file's fault: rights, room, locks, a newer version.
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
            notes = try reader.notes()
            let unread = try reader.forEachBatch(in: range) { row in
                if row.isWhole { take(row) } else { damaged.append(row.sequence) }
            }
            damage = notes.damage ?? unread
        } catch SQLiteJournalError.damaged(_, let reason) {
            damage = reason
        }
        if damage != nil {
            damaged = try PageScan(path).forEachBatch(in: range, except: Set(found), take)
        }
        found.sort()
        whole = RangeSet(ascending: found)
        if !found.isEmpty { lastTime = last.time }
    }

    /// All of it that was looked at is as it was written.
    var isWhole: Bool { damage == nil && damaged.isEmpty }
    /// The last batch that is whole.
    var last: UInt64? { whole.ranges.last.map { $0.upperBound - 1 } }
}

extension RangeSet<UInt64> {
    /// The set of ascending numbers.
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

    /// Its ranges, ends included.
    var closedRanges: [ClosedRange<UInt64>] { ranges.map { $0.lowerBound...$0.upperBound - 1 } }
}
