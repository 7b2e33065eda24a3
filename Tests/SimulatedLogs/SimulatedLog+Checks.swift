package import PopupFleet
package import PopupJournal

// What has to be true of a log, whoever wrote it.
extension SimulatedLog {
    /// Returns what is wrong with the sequence of entries: indices without gaps, epochs that only grow, one writer an
    /// epoch, time that never goes back, a chain that fits.
    package func brokenOrder() -> String? {
        var chain: UInt32 = 0
        var before: LogEntry?
        for (number, entry) in history.enumerated() {
            guard entry.index == UInt64(number) + 1 else { return "index \(entry.index) at place \(number + 1)" }
            guard entry.chain == chain else { return "the chain does not fit at entry \(entry.index)" }
            chain = entry.chainAfter
            if let before {
                guard entry.time >= before.time else { return "time goes back at entry \(entry.index)" }
                let isNew = entry.kind == .takeOver
                guard isNew ? entry.epoch > before.epoch : entry.epoch == before.epoch else {
                    return "the epoch of entry \(entry.index) is \(entry.epoch) after \(before.epoch)"
                }
            }
            before = entry
        }
        return head.chain == chain ? nil : "the head has another chain"
    }

    /// Returns which snapshot does not have the bytes that the log determines.
    package func brokenSnapshots<State: ReplicatedState>(_ kept: [LogSnapshot], of state: State.Type) -> String? {
        var reference = Replica<State>()
        for snapshot in kept.sorted(by: { $0.index < $1.index }) {
            while reference.index < snapshot.index {
                guard (try? reference.apply(history[Int(reference.index)])) == true else { return "no replay" }
            }
            guard (try? reference.snapshot()) == snapshot else { return "the snapshot at \(snapshot.index) differs" }
        }
        return nil
    }
}
