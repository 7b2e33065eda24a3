public import PopupJournal
import PopupScheduling

/// The compaction of a journal that no broker has open: snapshots of its result replace its commands.
public enum JournalCompaction {
    /// Opens, compacts and closes a journal.
    ///
    /// - Returns: The damage that was found, and the size of the snapshot in bytes.
    /// - Throws: The reason if it cannot be opened, read or written. Then nothing is lost.
    public static func compact(_ journal: any Journal) throws -> (findings: [JournalFinding], bytes: Int) {
        let opening = try journal.open()
        do {
            let bytes = try replaceBatches(of: journal)
            try journal.close()
            return (opening.findings, bytes)
        } catch {
            try? journal.close()
            throw error
        }
    }

    private static func replaceBatches(of journal: any Journal) throws -> Int {
        guard let archive = journal.archive else { return 0 }
        var state = try BrokerState.recover(
            from: journal.newestSnapshot(), JournaledSettings(limits: Limits(), seed: 0)
        ) { try journal.replay(from: $0, $1) }
        var output = EventBuffer()
        var bytes = 0
        // Two snapshots, as always: a restart uses the first if the second is damaged. A batch without commands
        // precedes each, so that both cover all earlier batches.
        for _ in 0..<2 {
            let empty: [UInt8] = []
            let sequence = try journal.append(empty.span.bytes, at: state.time)
            try state.apply(JournalBatch(sequence: sequence, time: state.time, commands: empty), into: &output)
            let snapshot = try state.snapshot()
            bytes = snapshot.state.count
            try archive.keep(snapshot)
        }
        return bytes
    }
}
