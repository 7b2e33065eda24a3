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

    /// Reads a segment's batches in `range`.
    ///
    /// - Parameter bound: the last batch that is known of.
    /// - Throws: What isn't the file's fault: rights, room, locks, a newer version.
    init(first: UInt64, path: String, range: ClosedRange<UInt64>, bound: UInt64) throws {
        self.first = first
        self.range = range
        let reader: SegmentReader
        do {
            reader = try SegmentReader(path)
        } catch SQLiteJournalError.damaged(_, let reason) {
            damage = reason
            return
        }
        defer { reader.close() }
        notes = try reader.notes()
        damage = notes.damage
        var found: [UInt64] = []
        var run: ClosedRange<UInt64>?
        let unread = try reader.forEachBatch(in: range, bound: bound) { row in
            guard row.isWhole else {
                found.append(row.sequence)
                return
            }
            size += row.commands.count
            lastTime = row.time
            if let sofar = run, sofar.upperBound &+ 1 == row.sequence {
                run = sofar.lowerBound...row.sequence
            } else {
                if let run { whole.insert(run) }
                run = row.sequence...row.sequence
            }
        }
        if let run { whole.insert(run) }
        damaged = found
        damage = damage ?? unread
    }

    /// All of it that was looked at is as it was written.
    var isWhole: Bool { damage == nil && damaged.isEmpty }
    /// The last batch that is whole.
    var last: UInt64? { whole.ranges.last.map { $0.upperBound - 1 } }
}

extension RangeSet<UInt64> {
    mutating func insert(_ range: ClosedRange<UInt64>) {
        insert(contentsOf: range.lowerBound..<range.upperBound + 1)
    }

    mutating func remove(_ range: ClosedRange<UInt64>) {
        remove(contentsOf: range.lowerBound..<range.upperBound + 1)
    }

    /// Its ranges, ends included.
    var closedRanges: [ClosedRange<UInt64>] { ranges.map { $0.lowerBound...$0.upperBound - 1 } }
}
