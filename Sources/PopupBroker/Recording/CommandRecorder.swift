import PopupProtocol
import SwiftProtobuf

/// A plugin that writes each committed command into a file which `Simulation` can run, so that a recording can be tried
/// with other policies.
///
/// There is a line for each committed command, with its time in ms since 1970 by the broker's clock. Before them are
/// the wall clock and the configured policies at the start. An `unsetPolicy` that brings back a configured policy is
/// recorded as that policy, since a simulation does not know the configuration. The file is written on a thread of its
/// own.
public final class CommandRecorder: BrokerPlugin {
    /// The name of the plugin in the log.
    public let name = "recorder"
    private let file: RecordingFile
    /// The policies of the configuration in force, by name or pattern.
    private var configured: [String: WireSetPolicy] = [:]

    /// Creates a recorder that writes into a file.
    public init(_ file: RecordingFile) {
        self.file = file
    }

    /// Records the wall clock and the policies with which the broker starts.
    public func started(_ start: BrokerStart) {
        let lead = start.wallClockLead
        var batch = RecordedBatch(time: start.time, wallClock: lead == 0 ? nil : WallClockEntry(ahead: lead))
        for policy in start.configuredPolicies {
            configured[policy.group] = policy
            let command = WireCommand.with { $0.setPolicy = policy }
            if let bytes: [UInt8] = try? command.serializedBytes() { batch.append(bytes[...]) }
        }
        file.append(batch)
    }

    /// Records the commands of a committed batch in order.
    public func committed(_ outcome: CommittedBatch) {
        var batch = RecordedBatch(time: outcome.time, removedPolicies: outcome.removedPolicies)
        for pattern in outcome.removedPolicies { configured[pattern] = nil }
        var settings = outcome.wallClockSettings[...]
        for position in 0...outcome.commands.count {
            while let setting = settings.first, setting.position == position {
                settings.removeFirst()
                file.append(batch)
                batch = RecordedBatch(time: outcome.time, wallClock: WallClockEntry(ahead: setting.lead))
            }
            if position < outcome.commands.count { batch.append(recorded(outcome.commands[position])) }
        }
        file.append(batch)
    }

    /// Returns the command as it is recorded.
    private func recorded(_ command: CommittedCommand) -> ArraySlice<UInt8> {
        switch command.kind {
        case .setPolicy where command.isOfConfiguration:
            let policy = command.command.setPolicy
            configured[policy.group] = policy
        case .unsetPolicy:
            let policy = configured[command.command.unsetPolicy.group]
            let restored = policy.map { policy in WireCommand.with { $0.setPolicy = policy } }
            if let bytes: [UInt8] = try? restored?.serializedBytes() { return bytes[...] }
        default: break
        }
        return command.encoded
    }
}
