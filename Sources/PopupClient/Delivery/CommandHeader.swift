import PopupProtocol

/// The encoding of the two fields by which a command is acknowledged. They precede the body, so that a command has the
/// same body with every number.
enum CommandHeader {
    /// The longest header: two tags, a length, 32 digits and the longest sequence.
    static let maximumBytes = 1 + 1 + 32 + 1 + 10

    static func append(_ producer: ProducerName, _ sequence: UInt64, to bytes: inout [UInt8]) {
        bytes.appendLength(WireKeys.Command.producer, 32)
        bytes += producer.description.utf8
        bytes.appendField(WireKeys.Command.sequence, sequence)
    }
}
