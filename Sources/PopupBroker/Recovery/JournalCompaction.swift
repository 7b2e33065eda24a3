public import PopupJournal
import PopupScheduling

/// Makes a journal that no broker has open as small as it can be: what came of its commands takes their place.
public enum JournalCompaction {
    /// Compacts a journal, which is opened and closed.
    ///
    /// - Returns: What was not as it was written, and the size of the snapshot in bytes.
    /// - Throws: When it can't be opened, read or written: nothing is lost then.
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
        // Two, as always: a restart goes back to the first should the second be damaged. A batch without commands lies
        // before each, so that all of the earlier ones are covered by both.
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
