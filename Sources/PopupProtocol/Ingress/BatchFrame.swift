/// The commands of a binary `Batch`, one after another, without decoding them.
///
/// `Batch.commands` is field 15, which `Command` never uses: the first byte of a frame tells what it holds.
public struct BatchFrame {
    /// What a binary `Batch` begins with: field 15, length-delimited. No `Command` does.
    public static let firstByte = UInt8(truncatingIfNeeded: WireKeys.Batch.commands.tag)

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
        var reader = FieldReader(position..<frame.count)
        while !reader.isAtEnd {
            position = reader.position
            // No field is numbered 0.
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
