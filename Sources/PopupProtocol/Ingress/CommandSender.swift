/// The producer and the sequence of a numbered command, which identify it in acknowledgements.
public struct CommandSender: Hashable, Sendable {
    /// The producer.
    public var producer: ProducerName
    /// The number of the command within the producer: 1, 2, 3 …, never 0.
    public var sequence: UInt64

    /// Creates the sender of a command; `nil` if it has no producer or no sequence.
    public init?(_ command: WireCommand) {
        guard command.sequence != 0, let producer = ProducerName(command.producer) else { return nil }
        self.init(producer, command.sequence)
    }

    /// Creates the sender of a binary command, as far as its bytes can be read; `nil` if it has none. For commands that
    /// cannot be decoded.
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

    /// Creates a sender; the sequence must not be 0.
    public init(numbered producer: ProducerName, _ sequence: UInt64) {
        self.producer = producer
        self.sequence = sequence
    }

    /// Creates a sender; `nil` without a producer or with the sequence 0.
    public init?(_ producer: ProducerName?, _ sequence: UInt64) {
        guard let producer, sequence != 0 else { return nil }
        self.init(numbered: producer, sequence)
    }
}
