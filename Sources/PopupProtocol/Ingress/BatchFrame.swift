/// The commands of a binary `Batch`, one after another, without decoding them.
///
/// `Batch.commands` is field 15, which `Command` never uses: the first byte of a frame tells what it holds.
public struct BatchFrame {
    /// What a binary `Batch` begins with: field 15, length-delimited. No `Command` does.
    public static let firstByte: UInt8 = 15 << 3 | 2

    /// The next byte to look at.
    private var position: Int

    /// The commands of a frame, from its first on.
    public init() {
        position = 0
    }

    /// Whether a frame is a sequence of fields to its end. Nothing of a broken one is trusted.
    public static func isWhole(_ frame: Span<UInt8>) -> Bool {
        var batch = BatchFrame()
        do throws(CommandRefusal) {
            while try batch.next(in: frame) != nil {}
            return true
        } catch {
            return false
        }
    }

    /// The bytes of the next command; `nil` after the last. Fields that a `Batch` doesn't have are skipped.
    ///
    /// - Throws: `MALFORMED` when the frame isn't a sequence of fields. What came before is whole.
    public mutating func next(in frame: Span<UInt8>) throws(CommandRefusal) -> Range<Int>? {
        while position < frame.count {
            let start = position
            let tag = try varint(in: frame)
            switch tag & 7 {
            case 0: _ = try varint(in: frame)
            case 1: try skip(8, in: frame, from: start)
            case 2:
                let count = try varint(in: frame)
                guard count <= UInt64(frame.count - position) else { throw Self.malformed(at: start) }
                let range = position..<position + Int(count)
                position = range.upperBound
                if tag == UInt64(Self.firstByte) { return range }
            case 5: try skip(4, in: frame, from: start)
            default: throw Self.malformed(at: start)
            }
        }
        return nil
    }

    private mutating func skip(_ count: Int, in frame: Span<UInt8>, from start: Int) throws(CommandRefusal) {
        guard count <= frame.count - position else { throw Self.malformed(at: start) }
        position += count
    }

    private mutating func varint(in frame: Span<UInt8>) throws(CommandRefusal) -> UInt64 {
        let start = position
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard position < frame.count else { break }
            let byte = frame[position]
            position += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        throw Self.malformed(at: start)
    }

    private static func malformed(at position: Int) -> CommandRefusal {
        CommandRefusal(.malformed, "the batch is broken at byte \(position); send one protobuf Batch per frame")
    }
}
