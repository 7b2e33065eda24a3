import PopupJournal
import PopupProtocol
import PopupState
import SwiftProtobuf

/// An entry of a journal, for a comparison of policies.
enum JournaledChange {
    /// A command of a client.
    case command(WireCommand)
    /// A change of the policy for a group or pattern by the configuration.
    case policy(pattern: String, BrokerState.Entry)
    /// A change that does not concern policies and applies to both runs.
    case both(BrokerState.Entry)

    /// Creates the change of an entry of a batch; `nil` for an entry that only settles a sequence.
    init?(_ entry: CommandLog.Entry, in batch: [UInt8]) throws {
        let bytes = batch[entry.range]
        switch entry.kind {
        case .command: self = .command(try Self.command(bytes))
        case .amendedCommand:
            guard let amended = CommandLog.amended(entry, in: batch) else {
                throw JournalContentError(what: "an amended command is damaged")
            }
            self = .command(try Self.command(batch[amended.command]))
        case .configuredPolicy:
            let policy = try Self.command(bytes).setPolicy
            self = .policy(pattern: policy.group, .configuredPolicy(policy))
        case .removedPolicy:
            let pattern = String(decoding: bytes, as: UTF8.self)
            self = .policy(pattern: pattern, .removedPolicy(pattern: pattern))
        case .timeZone: self = .both(.timeZone(try BrokerState.timeZone(bytes)))
        case .settings: self = .both(.settings(try JournaledSettings(bytes)))
        case .wallClock: self = .both(.wallClock(try WallClockEntry(bytes)))
        case .refusedSequence: return nil
        case .producer, .scheduler: throw JournalContentError(what: "a batch holds the part of a snapshot")
        }
    }

    private static func command(_ bytes: ArraySlice<UInt8>) throws(JournalContentError) -> WireCommand {
        guard let command = try? WireCommand(serializedBytes: Array(bytes)) else {
            throw JournalContentError(what: "a command can't be decoded")
        }
        return command
    }
}
