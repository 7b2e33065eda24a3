import Logging
import PopupJournal
import Synchronization

/// The finished part of an open journal on disk.
final class SQLiteArchive: JournalArchive {
    private struct Point {
        var sequence: UInt64
        var appended: Int
    }

    private let state: JournalState
    private let logger: Logger
    // How much had been appended at the batch to which the last replay went: the next snapshot is that batch's.
    private let lastReplay: Mutex<Point>
    // Snapshots that were whole when they were written, and were found damaged since.
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
            for sequence in try state.folder.contents()?.snapshots.reversed() ?? [] {
                do {
                    return try SnapshotFile.read(sequence, in: state.folder).snapshot
                } catch SQLiteJournalError.damaged(let path, let reason) {
                    damaged.withLock { _ = $0.insert(sequence) }
                    logger.warning("a snapshot is damaged", metadata: ["file": "\(path)", "reason": "\(reason)"])
                }
            }
            return nil
        }
    }

    /// As the port says; and throws `SQLiteJournalError.damaged` where a batch can't be read that the opening found
    /// whole: a snapshot without it would make the loss last.
    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        let appended = state.appended.load(ordering: .relaxed)
        let last = state.committed.load(ordering: .acquiring)
        guard sequence <= last else { return }
        var expected = sequence
        try Replay.run(state.folder, sequence...last, lock: state.files) { batch in
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
        lost.subtract(state.toldMissing)
        guard let first = lost.ranges.first?.lowerBound else { return }
        throw .damaged(path: state.folder.path, reason: "batch \(first) cannot be read any more")
    }

    func keep(_ snapshot: JournalSnapshot) throws {
        let last = state.committed.load(ordering: .acquiring)
        guard snapshot.sequence <= last else {
            throw SQLiteJournalError.notCommitted(sequence: snapshot.sequence, last: last)
        }
        try state.snapshots.hold {
            // The folder may be another's by now.
            guard state.isOpen.load(ordering: .acquiring) else { throw SQLiteJournalError.notOpen }
            try state.presence.checkFolder()
            try SnapshotFile.write(snapshot, epoch: state.epoch, to: state.folder)
            state.presence.expect(DataDirectory.snapshotName(snapshot.sequence))
            let appended = lastReplay.withLock { point in
                point.sequence == snapshot.sequence ? point.appended : state.appended.load(ordering: .relaxed)
            }
            state.appendedAtSnapshot.store(appended, ordering: .relaxed)
            state.snapshotSize.store(snapshot.state.count, ordering: .relaxed)
            try state.files.hold { () throws(SQLiteJournalError) in try dropCovered() }
        }
    }

    /// Drops all snapshots but the two newest that are whole, and the segments that the older of them covers. A damaged
    /// one is left for the next opening to quarantine.
    private func dropCovered() throws(SQLiteJournalError) {
        let folder = state.folder
        guard let contents = try folder.contents() else { return }
        let whole = damaged.withLock { damaged in contents.snapshots.filter { !damaged.contains($0) } }
        let kept = whole.suffix(2)
        for sequence in whole.dropLast(2) {
            state.presence.expectNoMore(DataDirectory.snapshotName(sequence))
            try Files.remove(folder.snapshot(sequence))
        }
        guard kept.count == 2, let older = kept.first else { return }
        for (first, next) in zip(contents.segments, contents.segments.dropFirst()) where next <= older + 1 {
            state.presence.expectNoMore(DataDirectory.segmentName(first))
            try Segment.remove(folder.segment(first))
        }
    }
}
