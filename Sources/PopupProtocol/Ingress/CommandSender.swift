/// Who sent a command, and which of the sender's commands it is: what an acknowledgement goes by.
public struct CommandSender: Hashable, Sendable {
    /// The producer.
    public var producer: ProducerName
    /// 1, 2, 3 … within the producer; never 0.
    public var sequence: UInt64

    /// The sender of a command that has both, or `nil`.
    public init?(_ command: WireCommand) {
        guard command.sequence != 0, let producer = ProducerName(command.producer) else { return nil }
        self.init(producer, command.sequence)
    }

    /// The sender that the bytes of a binary command name, as far as they can be read, or `nil`. Of a command that
    /// can't be decoded that is all there is to go by.
    public init?(binary bytes: Span<UInt8>) {
        var reader = FieldReader(0..<bytes.count)
        var producer: ProducerName?
        var sequence: UInt64 = 0
        while !reader.isAtEnd, let tag = reader.varint(in: bytes) {
            switch tag {
            case WireKeys.Command.producer.tag:
                guard let text = reader.bytes(in: bytes) else { break }
                producer = ProducerName(bytes.extracting(text))
                continue
            case WireKeys.Command.sequence.tag:
                guard let value = reader.varint(in: bytes) else { break }
                sequence = value
                continue
            case _ where tag & 7 == 0 && reader.varint(in: bytes) != nil: continue
            case _ where tag & 7 == 2 && reader.bytes(in: bytes) != nil: continue
            default: break
            }
            break
        }
        self.init(producer, sequence)
    }

    /// A producer and one of its sequences, which must not be 0.
    public init(numbered producer: ProducerName, _ sequence: UInt64) {
        self.producer = producer
        self.sequence = sequence
    }

    /// A sender, or `nil` without a producer or a sequence.
    public init?(_ producer: ProducerName?, _ sequence: UInt64) {
        guard let producer, sequence != 0 else { return nil }
        self.init(numbered: producer, sequence)
    }
}
