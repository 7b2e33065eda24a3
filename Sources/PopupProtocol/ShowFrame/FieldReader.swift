/// Goes through the fields of a protobuf message where it was received.
///
/// It reads what the wire format says (protobuf.dev, *Encoding*) and stops at the first byte that doesn't fit: `nil`
/// means "not readable", and whoever asked leaves the message to the full decoder, which says what is wrong.
struct FieldReader {
    private(set) var position: Int
    let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// A number of 7 bits a byte, the lowest first, ten bytes at most.
    @inline(__always)
    mutating func varint(in frame: Span<UInt8>) -> UInt64? {
        guard position < end else { return nil }
        let first = frame[position]
        position += 1
        if first < 0x80 { return UInt64(first) }
        return longVarint(first, in: frame)
    }

    private mutating func longVarint(_ first: UInt8, in frame: Span<UInt8>) -> UInt64? {
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while position < end, shift < 64 {
            let byte = frame[position]
            position += 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// The bytes of a length-delimited field.
    @inline(__always)
    mutating func bytes(in frame: Span<UInt8>) -> Range<Int>? {
        guard let count = varint(in: frame), count <= UInt64(end - position) else { return nil }
        let range = position..<position + Int(count)
        position = range.upperBound
        return range
    }

    /// Text: valid UTF-8.
    mutating func text(in frame: Span<UInt8>) -> Range<Int>? {
        guard let range = bytes(in: frame) else { return nil }
        return Self.isText(frame, range) ? range : nil
    }

    mutating func uint32(in frame: Span<UInt8>) -> UInt32? {
        varint(in: frame).flatMap(UInt32.init(exactly:))
    }

    mutating func bool(in frame: Span<UInt8>) -> Bool? {
        guard let value = varint(in: frame), value <= 1 else { return nil }
        return value == 1
    }

    /// Nearly all texts are ASCII: these are looked at eight bytes at a time.
    private static func isText(_ frame: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = frame.extracting(range)
        var position = 0
        while position + 8 <= text.count {
            let chunk = text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard chunk & 0x8080_8080_8080_8080 == 0 else { return isUTF8(text) }
            position += 8
        }
        while position < text.count {
            guard text[position] < 0x80 else { return isUTF8(text) }
            position += 1
        }
        return true
    }

    private static func isUTF8(_ text: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: text)
            return true
        } catch {
            return false
        }
    }
}
