/// Writes each committed command into a file of the form that `Simulation` runs: what a broker was told can be tried
/// again under other policies.
///
/// A line is written for each command that was committed, with its time in ms since 1970 by the broker's clock, the
/// configuration's policies first. The file is written on a thread of its own.
public final class CommandRecorder: BrokerPlugin {
    /// What the broker is told of it in the log.
    public let name = "recorder"
    private let file: RecordingFile

    /// Records into this file.
    public init(_ file: RecordingFile) {
        self.file = file
    }

    /// Hands what was committed over to the file.
    public func committed(_ outcome: CommittedBatch) {
        let wallClock = outcome.wallClockLead.map { WallClockEntry(ahead: $0) }
        guard !outcome.commands.isEmpty || !outcome.removedPolicies.isEmpty || wallClock != nil else { return }
        var batch = RecordedBatch(
            time: outcome.time, removedPolicies: outcome.removedPolicies, wallClock: wallClock)
        for command in outcome.commands { batch.append(command.encoded) }
        file.append(batch)
    }
}
