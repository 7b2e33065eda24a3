public import PopupJournal
import PopupProtocol
import PopupState
import SwiftProtobuf

/// The conversion of a journal's batches into the lines of a recording, which `Simulation` runs.
public enum JournaledLines {
    /// Calls `take` with a line, without line feed, for each command of a batch in order.
    ///
    /// - Throws: `CommandLogError` if the batch cannot be read, `JournalContentError`, and the errors of `take`.
    public static func forEach(of batch: borrowing JournalBatch, _ take: (String) throws -> Void) throws {
        var recorded = RecordedBatch(time: batch.time)
        for entry in try CommandLog.entries(in: batch.commands) {
            switch entry.kind {
            case .command, .configuredPolicy: recorded.append(batch.commands[entry.range])
            case .removedPolicy:
                // A line of its own keeps the order of the commands.
                try recorded.forEachLine(take)
                let pattern = String(decoding: batch.commands[entry.range], as: UTF8.self)
                try RecordedBatch(time: batch.time, removedPolicies: [pattern]).forEachLine(take)
                recorded = RecordedBatch(time: batch.time)
            case .wallClock:
                try recorded.forEachLine(take)
                let setting = try WallClockEntry(batch.commands[entry.range])
                try RecordedBatch(time: batch.time, wallClock: setting).forEachLine(take)
                recorded = RecordedBatch(time: batch.time)
            case .amendedCommand:
                if let amended = CommandLog.amended(entry, in: batch.commands) {
                    recorded.append(batch.commands[amended.command])
                }
            case .refusedSequence, .timeZone, .settings, .producer, .scheduler: break
            }
        }
        try recorded.forEachLine(take)
    }
}
