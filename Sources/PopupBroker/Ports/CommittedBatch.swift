public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The outcome of one commit, or of due timers, for the plugins.
public struct CommittedBatch: Sendable {
    /// The broker's epoch.
    public let epoch: UInt64
    /// The sequence of the batch in the journal; `nil` if there was nothing to commit.
    public let sequence: UInt64?
    /// The time at which it was applied, in ms by the broker's clock.
    public let time: Milliseconds
    /// The names and patterns whose policies were removed by a reload of the configuration, before the commands.
    public let removedPolicies: [String]
    /// The settings of the wall clock, in order; nearly always none.
    public let wallClockSettings: [WallClockSetting]
    /// The committed commands, in order. The scheduler may have refused some of them: see the events.
    public let commands: [CommittedCommand]
    /// The events of the scheduler, in order. Reading them decodes nothing.
    public let outcome: EventBuffer
    /// The refusals of commands that did not reach the scheduler.
    public let refusals: [CommandRefusal]

    /// The events, in order, as subscribers receive them. Encoded at each call.
    public var events: [WireEvent] {
        outcome.events.map { event in
            var message = EventEncoder.event(event, in: outcome)
            message.epoch = epoch
            return message
        }
    }

    /// Creates a batch, for tests of plugins.
    public init(
        epoch: UInt64 = 1, sequence: UInt64? = nil, time: Milliseconds = 0, removedPolicies: [String] = [],
        wallClockSettings: [WallClockSetting] = [], commands: [CommittedCommand] = [],
        outcome: EventBuffer = EventBuffer(),
        refusals: [CommandRefusal] = []
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
        self.removedPolicies = removedPolicies
        self.wallClockSettings = wallClockSettings
        self.commands = commands
        self.outcome = outcome
        self.refusals = refusals
    }
}

/// A setting of the wall clock within a batch.
public struct WallClockSetting: Sendable, Hashable {
    /// The time by which the wall clock is ahead of the broker's clock from then on, in ms.
    public var lead: Milliseconds
    /// The number of commands of the batch that come before it.
    public var position: Int

    /// Creates a setting, for testing a plugin.
    public init(lead: Milliseconds, position: Int) {
        self.lead = lead
        self.position = position
    }
}

/// One command of a batch.
public struct CommittedCommand: Sendable {
    /// The kind of the command.
    public let kind: CommandKind
    /// The producer; `nil` if the command names none.
    public let producer: ProducerName?
    /// Whether it is a policy of the broker's configuration.
    let isOfConfiguration: Bool
    private let log: [UInt8]
    private let range: Range<Int>

    /// The command as it was committed, with a generated id if it had none.
    public var command: WireCommand { (try? WireCommand(serializedBytes: Array(log[range]))) ?? WireCommand() }

    /// The command in the binary encoding.
    var encoded: ArraySlice<UInt8> { log[range] }

    init(
        _ kind: CommandKind, from producer: ProducerName?, isOfConfiguration: Bool = false, in log: [UInt8],
        at range: Range<Int>
    ) {
        self.kind = kind
        self.isOfConfiguration = isOfConfiguration
        self.producer = producer
        self.log = log
        self.range = range
    }

    /// Creates a decoded command, for tests of plugins; `nil` for a message without a command.
    public init?(_ command: WireCommand) {
        guard let content = command.command, let bytes: [UInt8] = try? command.serializedBytes() else { return nil }
        self.init(CommandKind(content), from: ProducerName(command.producer), in: bytes, at: bytes.indices)
    }
}
