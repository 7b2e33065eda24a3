import PopupJournal

/// The schedule of snapshots: one is due after as many bytes of commands as the last one has, or after many entries.
struct SnapshotSchedule {
    /// The least number of bytes of commands between snapshots.
    var bytes: Int
    /// The greatest number of entries between snapshots.
    var entries: Int

    private var bytesSince = 0
    private var entriesSince = 0
    private var lastBytes = 0

    /// Creates a schedule.
    init(bytes: Int, entries: Int) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Whether a snapshot is due.
    var isDue: Bool { bytesSince >= max(bytes, lastBytes) || entriesSince >= entries }

    /// Counts an entry.
    mutating func count(_ entry: LogEntry) {
        bytesSince += entry.commands.count
        entriesSince += 1
    }

    /// Begins anew, after a snapshot of a size.
    mutating func begin(afterSnapshotOf count: Int) {
        bytesSince = 0
        entriesSince = 0
        lastBytes = count
    }
}
