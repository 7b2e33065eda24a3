public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// What came of one commit, or of timers that fell due: lent to the plugins.
public struct CommittedBatch: Sendable {
    /// The broker's epoch.
    public let epoch: UInt64
    /// The journal's sequence of the batch; `nil` when there was nothing to commit.
    public let sequence: UInt64?
    /// When it was applied, in ms by the broker's clock.
    public let time: Milliseconds
    /// The names and patterns whose policies a configuration that was read again took back, before the commands.
    public let removedPolicies: [String]
    /// In ms: what the wall clock is ahead of the broker's since this batch; `nil`: as before.
    public let wallClockLead: Milliseconds?
    /// What was committed, in order. Some of it may have been refused by the scheduler: see the events.
    public let commands: [CommittedCommand]
    /// What happened, in order, as the scheduler tells it: cheap to look through.
    public let outcome: EventBuffer
    /// What was refused before the scheduler saw it.
    public let refusals: [CommandRefusal]

    /// What happened, in order, as subscribers are told it.
    public var events: [WireEvent] { outcome.events.map { EventEncoder.event($0, in: outcome) } }

    /// A batch, for testing a plugin.
    public init(
        epoch: UInt64 = 1, sequence: UInt64? = nil, time: Milliseconds = 0, removedPolicies: [String] = [],
        wallClockLead: Milliseconds? = nil, commands: [CommittedCommand] = [], outcome: EventBuffer = EventBuffer(),
        refusals: [CommandRefusal] = []
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
        self.removedPolicies = removedPolicies
        self.wallClockLead = wallClockLead
        self.commands = commands
        self.outcome = outcome
        self.refusals = refusals
    }
}

/// One command of a batch.
public struct CommittedCommand: Sendable {
    /// Which command it is.
    public let kind: CommandKind
    /// Who sent it, when it said so.
    public let producer: ProducerName?
    private let log: [UInt8]
    private let range: Range<Int>

    /// The command as it was committed: with the id that the broker made, if it had none.
    public var command: WireCommand { (try? WireCommand(serializedBytes: Array(log[range]))) ?? WireCommand() }

    /// The command as the wire encodes it.
    var encoded: ArraySlice<UInt8> { log[range] }

    init(_ kind: CommandKind, from producer: ProducerName?, in log: [UInt8], at range: Range<Int>) {
        self.kind = kind
        self.producer = producer
        self.log = log
        self.range = range
    }

    /// A decoded command, for testing a plugin. It must hold a command.
    public init?(_ command: WireCommand) {
        guard let content = command.command, let bytes: [UInt8] = try? command.serializedBytes() else { return nil }
        self.init(CommandKind(content), from: ProducerName(command.producer), in: bytes, at: bytes.indices)
    }
}
