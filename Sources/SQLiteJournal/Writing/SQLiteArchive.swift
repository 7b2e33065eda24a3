import Logging
import PopupJournal
import Synchronization

/// The archive of an open journal on disk: its committed batches and its snapshots.
final class SQLiteArchive: JournalArchive {
    private struct Point {
        var sequence: UInt64
        var appended: Int
    }

    private let state: JournalState
    private let logger: Logger
    // The last batch of the last replay, and the size of the commands up to it: the next snapshot is of this batch.
    private let lastReplay: Mutex<Point>
    // Snapshots that were found damaged after the opening.
    private let damaged = Mutex<Set<UInt64>>([])

    init(_ state: JournalState, logger: Logger) {
        self.state = state
        self.logger = logger
        lastReplay = Mutex(
            Point(
                sequence: state.committed.load(ordering: .acquiring), appended: state.appended.load(ordering: .relaxed))
        )
    }

    func newestSnapshot() throws -> JournalSnapshot? {
        try state.snapshots.hold {
            for sequence in try state.directory.contents()?.snapshots.reversed() ?? [] {
                do {
                    return try SnapshotFile.read(sequence, in: state.directory).snapshot
                } catch SQLiteJournalError.damaged(let path, let reason) {
                    damaged.withLock { _ = $0.insert(sequence) }
                    logger.warning("a snapshot is damaged", metadata: ["file": "\(path)", "reason": "\(reason)"])
                }
            }
            return nil
        }
    }

    /// Calls `body` with each batch from `sequence` on, as `JournalArchive` specifies.
    ///
    /// - Throws: Also `SQLiteJournalError.damaged` if a batch that was intact at the opening cannot be read: a snapshot
    ///   without it would make the loss permanent.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        let appended = state.appended.load(ordering: .relaxed)
        let last = state.committed.load(ordering: .acquiring)
        guard sequence <= last else { return }
        var expected = sequence
        try Replay.run(state.directory, sequence...last, lock: state.files) { batch in
            try check(expected, batch.sequence)
            expected = batch.sequence + 1
            try body(batch)
        }
        try check(expected, last + 1)
        lastReplay.withLock { $0 = Point(sequence: last, appended: appended) }
    }

    private func check(_ expected: UInt64, _ found: UInt64) throws(SQLiteJournalError) {
        guard expected < found else { return }
        var lost = RangeSet(expected..<found)
        lost.subtract(state.reportedMissing)
        guard let first = lost.ranges.first?.lowerBound else { return }
        throw .damaged(path: state.directory.path, reason: "batch \(first) cannot be read any more")
    }

    func keep(_ snapshot: JournalSnapshot) throws {
        let last = state.committed.load(ordering: .acquiring)
        guard snapshot.sequence <= last else {
            throw SQLiteJournalError.notCommitted(sequence: snapshot.sequence, last: last)
        }
        try state.snapshots.hold {
            // Another process may have opened the directory.
            guard state.isOpen.load(ordering: .acquiring) else { throw SQLiteJournalError.notOpen }
            try state.presence.checkDirectory()
            try SnapshotFile.write(snapshot, epoch: state.epoch, to: state.directory)
            state.presence.expect(DataDirectory.snapshotName(snapshot.sequence))
            let appended = lastReplay.withLock { point in
                point.sequence == snapshot.sequence ? point.appended : state.appended.load(ordering: .relaxed)
            }
            state.appendedAtSnapshot.store(appended, ordering: .relaxed)
            state.snapshotSize.store(snapshot.state.count, ordering: .relaxed)
            try state.files.hold { () throws(SQLiteJournalError) in try dropCovered() }
        }
    }

    /// Removes all snapshots but the two newest intact ones, and the segments that the older of them covers. A damaged
    /// snapshot is left for the next opening to quarantine.
    private func dropCovered() throws(SQLiteJournalError) {
        let directory = state.directory
        guard let contents = try directory.contents() else { return }
        let intact = damaged.withLock { damaged in contents.snapshots.filter { !damaged.contains($0) } }
        let kept = intact.suffix(2)
        for sequence in intact.dropLast(2) {
            state.presence.stopExpecting(DataDirectory.snapshotName(sequence))
            try Files.remove(directory.snapshot(sequence))
        }
        guard kept.count == 2, let older = kept.first else { return }
        for (first, next) in zip(contents.segments, contents.segments.dropFirst()) where next <= older + 1 {
            state.presence.stopExpecting(DataDirectory.segmentName(first))
            try Segment.remove(directory.segment(first))
        }
    }
}
