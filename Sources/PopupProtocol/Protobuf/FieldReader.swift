/// A reader of the fields of a protobuf message, in place.
///
/// It reads the wire format (protobuf.dev, *Encoding*) and returns `nil` at the first byte that it cannot read. Then
/// the full decoder reads the message, and describes the mistake.
///
/// It checks itself whether a byte is within the message, so bytes are read without the checks of the span. A position
/// is never greater than the size of the frame, so additions to it cannot overflow.
package struct FieldReader {
    /// The position of the next byte.
    package private(set) var position: Int
    let end: Int

    /// Creates a reader of the fields in a range, which must be within the frame.
    @inline(__always)
    package init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    @inline(__always)
    var isAtEnd: Bool { position >= end }

    /// Reads a tag: the number of a field and its wire type, of 32 bits in at most five bytes.
    @inline(__always)
    mutating func tag(in frame: Span<UInt8>) -> UInt64? {
        // Nearly all tags have one byte.
        guard position < end else { return nil }
        let first = UInt64(frame[unchecked: position])
        if first < 0x80 {
            position &+= 1
            return first
        }
        let start = position
        guard let tag = varint(in: frame), tag <= UInt64(UInt32.max), position &- start <= 5 else { return nil }
        return tag
    }

    /// Reads a varint: seven bits per byte, the lowest first, at most ten bytes.
    @inline(__always)
    package mutating func varint(in frame: Span<UInt8>) -> UInt64? {
        guard position < end else { return nil }
        let first = UInt64(frame[unchecked: position])
        if first < 0x80 {
            position &+= 1
            return first
        }
        // Two bytes suffice for values below 16384: nearly every length and time.
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

    /// Takes the position by value, so that the caller can keep it in a register. Where there are eight bytes, they are
    /// loaded at once, and the seven bits of each are joined pair by pair.
    @inline(never)
    private static func longVarint(in frame: Span<UInt8>, _ start: Int, _ end: Int) -> (value: UInt64, next: Int)? {
        if start &+ 8 <= end {
            let word = frame.word(at: start)
            let last = ~word & ByteWord.high
            if last != 0 {
                let count = last.trailingZeroBitCount &>> 3 &+ 1
                var value = word & (last ^ (last &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
                value = value & 0x007F_007F_007F_007F | (value & 0x7F00_7F00_7F00_7F00) &>> 1
                value = value & 0x0000_3FFF_0000_3FFF | (value & 0x3FFF_0000_3FFF_0000) &>> 2
                value = value & 0x0FFF_FFFF | (value & 0x0FFF_FFFF_0000_0000) &>> 4
                return (value, start &+ count)
            }
        }
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

    /// Reads the range of a length-delimited value.
    @inline(__always)
    mutating func bytes(in frame: Span<UInt8>) -> Range<Int>? {
        guard let count = varint(in: frame), count <= UInt64(truncatingIfNeeded: end &- position) else { return nil }
        let start = position
        position &+= Int(truncatingIfNeeded: count)
        return Range(uncheckedBounds: (start, position))
    }

    /// Reads the range of a text, which must be valid UTF-8.
    @inline(__always)
    mutating func text(in frame: Span<UInt8>) -> Range<Int>? {
        guard let range = bytes(in: frame), frame.isText(range) else { return nil }
        return range
    }

    /// Reads the range of a text without control characters, of at most `maximum` bytes.
    @inline(__always)
    mutating func line(in frame: Span<UInt8>, maximum: Int) -> Range<Int>? {
        guard let range = bytes(in: frame), range.count <= maximum, frame.isLine(range) else { return nil }
        return range
    }

    /// Skips `count` bytes. Returns whether the message has them.
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

    /// Whether a field is read for the first time in its message. The full decoder reads messages with repeated ones:
    /// the last value counts, and nested messages are merged.
    @inline(__always)
    static func isFirst(_ tag: UInt64, _ seen: inout UInt64) -> Bool {
        guard tag >> 3 < 64 else { return false }
        let bit: UInt64 = 1 << (tag >> 3)
        guard seen & bit == 0 else { return false }
        seen |= bit
        return true
    }

    /// Returns the range of the message of this key if it is all that a `Command` contains, as without a sender.
    @inline(__always)
    private static func onlyMessage(_ key: WireKey, of frame: Span<UInt8>, in whole: Range<Int>) -> Range<Int>? {
        var reader = FieldReader(whole)
        guard reader.tag(in: frame) == key.tag, let message = reader.bytes(in: frame) else { return nil }
        return reader.isAtEnd ? message : nil
    }

    /// Reads a `Command` that contains only the message of this key and its sender. Returns the range of the message. The
    /// user that the broker appended directly behind it counts as the message's last field.
    @inline(__always)
    static func message(
        _ key: WireKey, of frame: Span<UInt8>, from producer: inout ProducerName?, _ sequence: inout UInt64
    ) -> Range<Int>? {
        let whole = Range(uncheckedBounds: (0, frame.count))
        if let only = onlyMessage(key, of: frame, in: whole) { return only }
        var reader = FieldReader(whole)
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
            case WireKeys.Command.by.tag:
                // Two bytes were its tag.
                guard !message.isEmpty, reader.position &- 2 == message.upperBound, reader.bytes(in: frame) != nil,
                    reader.isAtEnd
                else { return nil }
                message = Range(uncheckedBounds: (message.lowerBound, frame.count))
            default: return nil
            }
        }
        return sequence == 0 || producer != nil ? message : nil
    }
}
