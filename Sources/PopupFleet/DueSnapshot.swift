import PopupJournal

/// The snapshot that a node makes when its schedule says so, until the log has it or a later one.
struct DueSnapshot {
    private var schedule: SnapshotSchedule
    /// The snapshot that the log does not have yet; `nil` for none.
    private(set) var snapshot: LogSnapshot?
    /// The time from which it is offered to the log; `nil` before that is known.
    private var offerTime: Int64?

    /// Creates it with a schedule.
    init(_ schedule: SnapshotSchedule) { self.schedule = schedule }

    /// Counts an entry that a replica has applied, and makes the snapshot that is due with it.
    ///
    /// Here, and not later: the state after an entry, without later timers, is the same on each node.
    ///
    /// - Throws: The errors of the state.
    mutating func count<State>(_ entry: LogEntry, of replica: Replica<State>) throws {
        schedule.count(entry)
        guard schedule.isDue, snapshot == nil else { return }
        let made = try replica.snapshot()
        schedule.begin(afterSnapshotOf: made.state.count)
        snapshot = made
    }

    /// Returns the snapshot if it is to be offered now. The first call begins the delay.
    mutating func offer(at boot: Int64, delay: Int64) -> LogSnapshot? {
        guard let snapshot else { return nil }
        let time = offerTime ?? boot + delay
        offerTime = time
        return boot >= time ? snapshot : nil
    }

    /// Removes the snapshot if the log has it, or a later one. Otherwise the log has left it out, and it is offered again.
    ///
    /// - Parameters:
    ///   - kept: The indices of the snapshots that the log has.
    ///   - retryAt: The time from which it is offered again.
    mutating func update(kept: [UInt64], retryAt boot: Int64) {
        guard let index = snapshot?.index, !kept.contains(where: { $0 >= index }) else {
            snapshot = nil
            offerTime = nil
            return
        }
        offerTime = boot
    }
}
