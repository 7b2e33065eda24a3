public import PopupProtocol
import SwiftProtobuf

/// A command before the journal, which is passed to the plugins one after another.
///
/// Its kind and its producer are known at once. The rest is decoded when a plugin reads it for the first time.
public struct AdmittedCommand: ~Copyable {
    /// The kind of the command.
    public let kind: CommandKind
    /// The producer; `nil` if the command names none.
    public let producer: ProducerName?
    private(set) var isAmended = false
    private var encoded: (log: [UInt8], range: Range<Int>)?
    private var decoded: WireCommand?

    /// The command. Setting it amends the command that is committed, but not its kind and producer.
    public var command: WireCommand {
        mutating get {
            if let decoded { return decoded }
            var command = WireCommand()
            if let encoded {
                command = (try? WireCommand(serializedBytes: Array(encoded.log[encoded.range]))) ?? command
            }
            decoded = command
            return command
        }
        set {
            decoded = newValue
            isAmended = true
        }
    }

    /// The address of the log that contains the command; `nil` for a decoded one.
    var logPlace: UnsafeRawPointer? {
        encoded?.log.withUnsafeBytes { $0.baseAddress }
    }

    init(_ kind: CommandKind, from producer: ProducerName?, in log: [UInt8], at range: Range<Int>) {
        self.kind = kind
        self.producer = producer
        encoded = (log, range)
    }

    /// Creates a decoded command, for tests of plugins; `nil` for a message without a command.
    public init?(_ command: WireCommand) {
        guard let content = command.command else { return nil }
        kind = CommandKind(content)
        producer = ProducerName(command.producer)
        decoded = command
    }
}
