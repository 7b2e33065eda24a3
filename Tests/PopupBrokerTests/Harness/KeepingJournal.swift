import Dispatch
@testable import PopupBroker
import PopupJournal
import PopupScheduling
import Synchronization

/// A journal that keeps everything, and snapshots, in memory.
final class KeepingJournal: Journal, JournalArchive {
    struct Batch {
        var time: Int64
        var commands: [UInt8]
    }

    private struct State {
        var batches: [Batch] = []
        var snapshot: JournalSnapshot?
        var epoch: UInt64 = 0
        var dueSnapshots = 0
        var replayedFrom: UInt64 = 0
    }

    private let state = Mutex(State())
    private let kept = DispatchSemaphore(value: 0)

    var batches: [Batch] { state.withLock { $0.batches } }

    var snapshot: JournalSnapshot? {
        get { state.withLock { $0.snapshot } }
        set { state.withLock { $0.snapshot = newValue } }
    }

    /// How many snapshots are due, one after the other.
    var dueSnapshots: Int {
        get { state.withLock { $0.dueSnapshots } }
        set { state.withLock { $0.dueSnapshots = newValue } }
    }

    /// Where the last replay began.
    var replayedFrom: UInt64 { state.withLock { $0.replayedFrom } }

    var isSnapshotDue: Bool { dueSnapshots > 0 }
    var archive: (any JournalArchive)? { self }

    func copy() -> KeepingJournal {
        let copy = KeepingJournal()
        let batches = batches
        copy.state.withLock { $0.batches = batches }
        return copy
    }

    /// Makes the snapshot of a batch as a broker would.
    func makeSnapshot(of sequence: Int) throws {
        var recovered = try BrokerState.recover(
            from: nil, JournaledSettings(limits: Limits(), seed: 0)
        ) { from, body in
            for (index, batch) in batches.prefix(sequence).enumerated() where index + 1 >= Int(from) {
                try body(JournalBatch(sequence: UInt64(index + 1), time: batch.time, commands: batch.commands))
            }
        }
        snapshot = sequence == 0 ? nil : try recovered.snapshot()
    }

    func open() throws -> JournalOpening {
        state.withLock { state in
            state.epoch += 1
            return JournalOpening(epoch: state.epoch, lastSequence: UInt64(state.batches.count))
        }
    }

    func newestSnapshot() throws -> JournalSnapshot? { snapshot }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        let batches = state.withLock { state in
            state.replayedFrom = sequence
            return state.batches
        }
        for (index, batch) in batches.enumerated() where index + 1 >= Int(sequence) {
            try body(JournalBatch(sequence: UInt64(index + 1), time: batch.time, commands: batch.commands))
        }
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let commands = commands.withUnsafeBytes { Array($0) }
        return state.withLock { state in
            state.batches.append(Batch(time: time, commands: commands))
            return UInt64(state.batches.count)
        }
    }

    func keep(_ snapshot: JournalSnapshot) throws {
        state.withLock { state in
            state.snapshot = snapshot
            state.dueSnapshots = max(0, state.dueSnapshots - 1)
        }
        kept.signal()
    }

    /// Waits for a snapshot, some minutes at most.
    func waitForSnapshot() -> Bool { kept.wait(timeout: .now() + 120) == .success }

    func close() throws {}
}
