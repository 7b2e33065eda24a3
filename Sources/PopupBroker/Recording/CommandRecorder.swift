import PopupProtocol
import SwiftProtobuf

/// Writes each committed command into a file of the form that `Simulation` runs: what a broker was told can be tried
/// again under other policies.
///
/// A line is written for each command that was committed, with its time in ms since 1970 by the broker's clock; before
/// them the wall clock and the configuration's policies of the start. The file is written on a thread of its own.
public final class CommandRecorder: BrokerPlugin {
    /// What the broker is told of it in the log.
    public let name = "recorder"
    private let file: RecordingFile

    /// Records into this file.
    public init(_ file: RecordingFile) {
        self.file = file
    }

    /// Writes the wall clock and the policies with which the broker starts.
    public func started(_ start: BrokerStart) {
        let lead = start.wallClockLead
        var batch = RecordedBatch(time: start.time, wallClock: lead == 0 ? nil : WallClockEntry(ahead: lead))
        for policy in start.configuredPolicies {
            let command = WireCommand.with { $0.setPolicy = policy }
            if let bytes: [UInt8] = try? command.serializedBytes() { batch.append(bytes[...]) }
        }
        file.append(batch)
    }

    /// Writes what was committed, in its order.
    public func committed(_ outcome: CommittedBatch) {
        var batch = RecordedBatch(time: outcome.time, removedPolicies: outcome.removedPolicies)
        var settings = outcome.wallClockSettings[...]
        for position in 0...outcome.commands.count {
            while let setting = settings.first, setting.position == position {
                settings.removeFirst()
                file.append(batch)
                batch = RecordedBatch(time: outcome.time, wallClock: WallClockEntry(ahead: setting.lead))
            }
            if position < outcome.commands.count { batch.append(outcome.commands[position].encoded) }
        }
        file.append(batch)
    }
}
