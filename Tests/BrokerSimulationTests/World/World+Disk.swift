@testable import PopupBroker
import PopupJournal
import PopupScheduling

// What happens to the disk, and whether it tells what there was.
extension World {
    /// The machine fails, and the process with it.
    func failMachine() {
        let lost = journal.failMachine()
        audit.mark("the machine fails")
        guard lost > 0 else { return }
        audit.mark("commits are lost")
        audit.rollBack(to: journal.history)
    }

    /// A snapshot is made, as the broker's own thread makes it: from the one before and what was committed since.
    func makeSnapshot(taking duration: Milliseconds) throws {
        guard let broker else { return }
        let snapshot = try snapshot(of: journal)
        guard try self.snapshot(of: journal.copy(alone: true)).state == snapshot.state else {
            throw Failure(check: "a snapshot is what its batches give", detail: "not at batch \(snapshot.sequence)")
        }
        agenda.add(.keep(snapshot, epoch: broker.loop.epoch), at: time + duration)
    }

    /// It is written, if the process that made it still is there.
    func keep(_ snapshot: JournalSnapshot, epoch: UInt64) throws {
        guard let broker, broker.loop.epoch == epoch else { return }
        do {
            try journal.keep(snapshot)
            audit.mark("snapshot")
        } catch is DiskIsFull {}
    }

    /// The disk gives what all batches give.
    func checkDisk() throws {
        let state = try snapshot(of: journal.copy(alone: false))
        let alone = try snapshot(of: journal.copy(alone: true))
        guard state.sequence == alone.sequence, state.state == alone.state else {
            throw Failure(
                check: "snapshot and batches give what all batches give",
                detail: "not at batch \(alone.sequence), \(state.state.count) bytes for \(alone.state.count)")
        }
    }

    private func snapshot(of journal: SimulatedJournal) throws -> JournalSnapshot {
        var state = try BrokerState.recover(
            from: journal.newestSnapshot(), JournaledSettings(setting.configuration)
        ) { try journal.replay(from: $0, $1) }
        return try state.snapshot()
    }
}
