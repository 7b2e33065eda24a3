/// An iterator over the commands of a binary `Batch`, which does not decode them.
///
/// `Batch.commands` is field 15, which `Command` never uses, so the first byte of a frame distinguishes the two.
public struct BatchFrame {
    /// The first byte of a binary `Batch`: field 15, length-delimited. No `Command` begins with it.
    @inlinable
    public static var firstByte: UInt8 { UInt8(truncatingIfNeeded: WireKeys.Batch.commands.tag) }

    /// The position of the next byte.
    private var position: Int

    /// Creates an iterator at the beginning of a frame.
    public init() {
        position = 0
    }

    /// Whether a frame is a complete sequence of fields. A frame that is not must be refused as a whole.
    public static func isWhole(_ frame: Span<UInt8>) -> Bool {
        var batch = BatchFrame()
        do throws(CommandRefusal) {
            while try batch.next(in: frame) != nil {}
            return true
        } catch {
            return false
        }
    }

    /// Returns the range of the next command; `nil` after the last. Skips unknown fields.
    ///
    /// - Throws: `MALFORMED` if the frame is not a sequence of fields. The earlier commands are complete.
    public mutating func next(in frame: Span<UInt8>) throws(CommandRefusal) -> Range<Int>? {
        var reader = FieldReader(position..<frame.count)
        while !reader.isAtEnd {
            position = reader.position
            // No field has the number 0.
            guard let tag = reader.tag(in: frame), tag >= 8 else { throw malformed }
            switch tag & 7 {
            case 0: guard reader.varint(in: frame) != nil else { throw malformed }
            case 1: guard reader.skip(8) else { throw malformed }
            case 2:
                guard let range = reader.bytes(in: frame) else { throw malformed }
                if tag == UInt64(Self.firstByte) {
                    position = reader.position
                    return range
                }
            case 5: guard reader.skip(4) else { throw malformed }
            default: throw malformed
            }
        }
        position = reader.position
        return nil
    }

    private var malformed: CommandRefusal {
        CommandRefusal(.malformed, "the batch is broken at byte \(position); send one protobuf Batch per frame")
    }
}
