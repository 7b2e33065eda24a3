import PopupProtocol

/// The two fields by which a command is acknowledged, in front of what it says: the same command under another number is
/// the same bytes behind another header.
enum CommandHeader {
    /// The longest header: two tags, a length, 32 digits and the longest sequence.
    static let maximumBytes = 1 + 1 + 32 + 1 + 10

    static func append(_ producer: ProducerName, _ sequence: UInt64, to bytes: inout [UInt8]) {
        bytes.append(producerTag)
        bytes.append(32)
        bytes += producer.description.utf8
        bytes.append(sequenceTag)
        appendVarint(sequence, to: &bytes)
    }

    static func appendVarint(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// `Command.producer`: field 1, length-delimited.
    private static let producerTag: UInt8 = 1 << 3 | 2
    /// `Command.sequence`: field 2, varint.
    private static let sequenceTag: UInt8 = 2 << 3
}
