public import PopupProtocol
import SwiftProtobuf

/// A command on its way to the journal, lent to the plugins one after another.
///
/// Which command it is and who sent it is known at once; the rest is decoded when a plugin first asks for it.
public struct AdmittedCommand: ~Copyable {
    /// Which command it is.
    public let kind: CommandKind
    /// Who sent it, when it says so.
    public let producer: ProducerName?
    private(set) var isAmended = false
    private var encoded: (log: [UInt8], range: Range<Int>)?
    private var decoded: WireCommand?

    /// The command itself. Setting it amends what is committed; its kind and sender stay what they were.
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

    /// Where the log lies in which it stands; `nil` for one that was decoded.
    var logPlace: UnsafeRawPointer? {
        encoded?.log.withUnsafeBytes { $0.baseAddress }
    }

    init(_ kind: CommandKind, from producer: ProducerName?, in log: [UInt8], at range: Range<Int>) {
        self.kind = kind
        self.producer = producer
        encoded = (log, range)
    }

    /// A decoded command, for testing a plugin. It must hold a command.
    public init?(_ command: WireCommand) {
        guard let content = command.command else { return nil }
        kind = CommandKind(content)
        producer = ProducerName(command.producer)
        decoded = command
    }
}
