import PopupProtocol

/// The two fields by which a command is acknowledged, in front of what it says: the same command under another number is
/// the same bytes behind another header.
enum CommandHeader {
    /// The longest header: two tags, a length, 32 digits and the longest sequence.
    static let maximumBytes = 1 + 1 + 32 + 1 + 10

    static func append(_ producer: ProducerName, _ sequence: UInt64, to bytes: inout [UInt8]) {
        bytes.appendLength(WireKeys.Command.producer, 32)
        bytes += producer.description.utf8
        bytes.appendField(WireKeys.Command.sequence, sequence)
    }
}
