import PopupJournal

/// The schedule of snapshots: one is due after as many bytes of commands as the last one has, or after many entries, and
/// after each entry whose index is a multiple of that many. So whenever a node has begun, all of them make snapshots after
/// the same entries, too, and can be compared.
struct SnapshotSchedule {
    /// The least number of bytes of commands between snapshots.
    var bytes: Int
    /// The greatest number of entries between snapshots.
    var entries: Int

    private var bytesSince = 0
    private var entriesSince = 0
    private var lastBytes = 0
    private var isAtMultiple = false

    /// Creates a schedule.
    init(bytes: Int, entries: Int) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Whether a snapshot is due.
    var isDue: Bool { bytesSince >= max(bytes, lastBytes) || entriesSince >= entries || isAtMultiple }

    /// Counts an entry.
    mutating func count(_ entry: LogEntry) {
        bytesSince += entry.commands.count
        entriesSince += 1
        isAtMultiple = entry.index.isMultiple(of: UInt64(max(1, entries)))
    }

    /// Begins anew, after a snapshot of a size.
    mutating func begin(afterSnapshotOf count: Int) {
        bytesSince = 0
        entriesSince = 0
        isAtMultiple = false
        lastBytes = count
    }
}
