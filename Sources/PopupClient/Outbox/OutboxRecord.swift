import Checksums
import PopupProtocol

/// A record of an outbox file. A file consists of records:
///
///     length of the content (4 bytes) │ CRC-32C of length and content (4 bytes) │ content
///
/// Numbers are little-endian. The content is a byte for the kind, 16 bytes for the producer, and then:
///
///     numbering   the next sequence (8)             sequences below it that are not in the file are settled
///     command     its sequence (8), a Command       to be sent until it is settled
///     settled     sequences (8 each)                commands that need not be sent any more
enum OutboxRecord: Equatable {
    case numbering(ProducerName, next: UInt64)
    case command(ProducerName, sequence: UInt64, body: [UInt8])
    case settled(ProducerName, [UInt64])

    /// The beginning of the file.
    static let signature: [UInt8] = Array("popup outbox 1\n\u{0}".utf8)
    /// The bytes of a record in addition to the body of a command.
    static let commandOverhead = headerBytes + 1 + 16 + 8
    /// The longest valid content: commands, and the sequences of an acknowledgement, are shorter.
    static let maxContentBytes = 1 << 20
    static let headerBytes = 8
    /// The highest valid sequence. No producer reaches it.
    static let maxSequence: UInt64 = 1 << 62

    func append(to bytes: inout [UInt8]) {
        var content: [UInt8] = []
        switch self {
        case .numbering(let producer, let next):
            content.append(1)
            content.append(producer)
            content.appendNumber(next)
        case .command(let producer, let sequence, let body):
            content.append(2)
            content.append(producer)
            content.appendNumber(sequence)
            content += body
        case .settled(let producer, let sequences):
            content.append(3)
            content.append(producer)
            for sequence in sequences { content.appendNumber(sequence) }
        }
        let start = bytes.count
        bytes.appendNumber(UInt32(content.count))
        bytes.appendNumber(Self.checksum(bytes[start...], content[...]))
        bytes += content
    }

    private static func checksum(_ length: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        length.withUnsafeBytes { checksum.update($0) }
        content.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }

    /// The result of reading a record.
    enum Reading: Equatable {
        case record(OutboxRecord, end: Int)
        /// The file ends within the record.
        case truncated
        case damaged
    }

    static func read(_ bytes: [UInt8], at start: Int) -> Reading {
        guard bytes.count - start >= headerBytes else { return .truncated }
        let count = Int(bytes.number(at: start, as: UInt32.self))
        guard count >= 17, count <= maxContentBytes else { return .damaged }
        let content = start + headerBytes
        let end = content + count
        guard end <= bytes.count else { return .truncated }
        guard checksum(bytes[start..<start + 4], bytes[content..<end]) == bytes.number(at: start + 4, as: UInt32.self),
            let record = OutboxRecord(bytes, content..<end)
        else { return .damaged }
        return .record(record, end: end)
    }

    private init?(_ bytes: [UInt8], _ content: Range<Int>) {
        let producer = ProducerName(
            high: bytes.number(at: content.lowerBound + 1), low: bytes.number(at: content.lowerBound + 9))
        let rest = content.lowerBound + 17
        switch bytes[content.lowerBound] {
        case 1 where content.upperBound - rest == 8:
            guard bytes.number(at: rest, as: UInt64.self) <= Self.maxSequence else { return nil }
            self = .numbering(producer, next: bytes.number(at: rest))
        case 2 where content.upperBound - rest >= 8:
            guard bytes.number(at: rest, as: UInt64.self) < Self.maxSequence else { return nil }
            self = .command(
                producer, sequence: bytes.number(at: rest), body: Array(bytes[rest + 8..<content.upperBound]))
        case 3 where (content.upperBound - rest) % 8 == 0:
            self = .settled(
                producer, stride(from: rest, to: content.upperBound, by: 8).map { bytes.number(at: $0) })
        default: return nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ producer: ProducerName) {
        appendNumber(producer.high)
        appendNumber(producer.low)
    }

    fileprivate mutating func appendNumber<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    fileprivate func number<Number: FixedWidthInteger>(at position: Int, as: Number.Type = Number.self) -> Number {
        self[position..<position + Number.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
