/// Goes through the fields of a protobuf message where it was received.
///
/// It reads what the wire format says (protobuf.dev, *Encoding*) and stops at the first byte that doesn't fit: `nil`
/// means "not readable", and whoever asked leaves the message to the full decoder, which says what is wrong.
///
/// It looks itself whether a byte is inside the message, so the bytes are taken without the span's looking again; and a
/// position never exceeds the frame's size, so it is added to without looking for an overflow.
package struct FieldReader {
    /// The next byte to look at.
    package private(set) var position: Int
    let end: Int

    /// A reader of the fields in a part of a frame, which must lie inside it.
    @inline(__always)
    package init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    @inline(__always)
    var isAtEnd: Bool { position >= end }

    /// A field's number and how it is written: a number of 32 bits, in five bytes at most.
    @inline(__always)
    mutating func tag(in frame: Span<UInt8>) -> UInt64? {
        let start = position
        guard let tag = varint(in: frame), tag <= UInt64(UInt32.max), position &- start <= 5 else { return nil }
        return tag
    }

    /// A number of 7 bits a byte, the lowest first, ten bytes at most.
    @inline(__always)
    package mutating func varint(in frame: Span<UInt8>) -> UInt64? {
        guard position < end else { return nil }
        let first = UInt64(frame[unchecked: position])
        if first < 0x80 {
            position &+= 1
            return first
        }
        // Two bytes take what is below 16384: nearly every length and time.
        if position &+ 1 < end {
            let second = UInt64(frame[unchecked: position &+ 1])
            if second < 0x80 {
                position &+= 2
                return first & 0x7F | second &<< 7
            }
        }
        guard let (value, next) = Self.longVarint(in: frame, position, end) else { return nil }
        position = next
        return value
    }

    /// By value: a position that is passed by reference could not be kept in a register.
    @inline(never)
    private static func longVarint(in frame: Span<UInt8>, _ start: Int, _ end: Int) -> (value: UInt64, next: Int)? {
        var position = start
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end, shift < 64 {
            let byte = frame[unchecked: position]
            position &+= 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return (value, position) }
            shift &+= 7
        }
        return nil
    }

    /// The bytes of a length-delimited field.
    @inline(__always)
    mutating func bytes(in frame: Span<UInt8>) -> Range<Int>? {
        guard let count = varint(in: frame), count <= UInt64(truncatingIfNeeded: end &- position) else { return nil }
        let start = position
        position &+= Int(truncatingIfNeeded: count)
        return Range(uncheckedBounds: (start, position))
    }

    /// Text: valid UTF-8.
    @inline(__always)
    mutating func text(in frame: Span<UInt8>) -> Range<Int>? {
        guard let range = bytes(in: frame), frame.isText(range) else { return nil }
        return range
    }

    /// Text without control characters, of so many bytes at most.
    @inline(__always)
    mutating func line(in frame: Span<UInt8>, maximum: Int) -> Range<Int>? {
        guard let range = bytes(in: frame), range.count <= maximum, frame.isLine(range) else { return nil }
        return range
    }

    /// Passes over so many bytes. Returns whether there are so many.
    mutating func skip(_ count: Int) -> Bool {
        guard count <= end - position else { return false }
        position += count
        return true
    }

    @inline(__always)
    mutating func uint32(in frame: Span<UInt8>) -> UInt32? {
        guard let value = varint(in: frame), value <= UInt64(UInt32.max) else { return nil }
        return UInt32(truncatingIfNeeded: value)
    }

    @inline(__always)
    mutating func bool(in frame: Span<UInt8>) -> Bool? {
        guard let value = varint(in: frame), value <= 1 else { return nil }
        return value == 1
    }

    /// Whether a field has not been read before in its message. Of a field that stands twice the last counts, and two
    /// messages are merged: that is for the full decoder.
    @inline(__always)
    static func isFirst(_ tag: UInt64, _ seen: inout UInt64) -> Bool {
        guard tag >> 3 < 64 else { return false }
        let bit: UInt64 = 1 << (tag >> 3)
        guard seen & bit == 0 else { return false }
        seen |= bit
        return true
    }

    /// Reads a `Command` that holds the message of this key and nothing but its sender beside it, and returns where the
    /// message is.
    @inline(__always)
    static func message(
        _ key: WireKey, of frame: Span<UInt8>, from producer: inout ProducerName?, _ sequence: inout UInt64
    ) -> Range<Int>? {
        var reader = FieldReader(Range(uncheckedBounds: (0, frame.count)))
        var seen: UInt64 = 0
        var message = 0..<0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame), isFirst(tag, &seen) else { return nil }
            switch tag {
            case WireKeys.Command.producer.tag:
                guard let text = reader.bytes(in: frame), let name = ProducerName(frame.extracting(unchecked: text))
                else { return nil }
                producer = name
            case WireKeys.Command.sequence.tag:
                guard let count = reader.varint(in: frame) else { return nil }
                sequence = count
            case key.tag:
                guard let range = reader.bytes(in: frame) else { return nil }
                message = range
            default: return nil
            }
        }
        return sequence == 0 || producer != nil ? message : nil
    }
}
