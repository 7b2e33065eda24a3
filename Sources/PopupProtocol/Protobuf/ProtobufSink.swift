/// A destination for bytes in protobuf's wire format (protobuf.dev, *Encoding*).
public protocol ProtobufSink: ~Copyable {
    /// Appends a byte.
    mutating func append(_ byte: UInt8)
}

extension [UInt8]: ProtobufSink {}

extension ProtobufSink where Self: ~Copyable {
    /// Appends a varint: seven bits per byte, the lowest first.
    @inlinable @inline(__always)
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number, unless it is 0.
    @inlinable @inline(__always)
    package mutating func appendField(_ key: WireKey, _ value: UInt64) {
        guard value != 0 else { return }
        appendVarint(key.tag)
        appendVarint(value)
    }

    /// Appends the tag and the length of a string, bytes or a message.
    @inlinable @inline(__always)
    package mutating func appendLength(_ key: WireKey, _ count: Int) {
        appendVarint(key.tag)
        appendVarint(UInt64(count))
    }
}

extension [UInt8] {
    /// Appends a string or bytes, unless they are empty.
    package mutating func appendField(_ key: WireKey, _ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        appendLength(key, bytes.count)
        append(contentsOf: bytes)
    }

    /// Writes the number of the bytes after a position to that position, at which one byte is reserved.
    @inline(__always)
    mutating func setLength(at index: Int) {
        let length = count &- index &- 1
        if length < 0x80 {
            self[index] = UInt8(truncatingIfNeeded: length)
        } else {
            var varint: [UInt8] = []
            varint.appendVarint(UInt64(length))
            replaceSubrange(index...index, with: varint)
        }
    }
}

/// The sizes of encoded values, in bytes.
public enum ProtobufSize {
    /// Returns the size of a varint.
    @inlinable @inline(__always)
    package static func varint(_ value: UInt64) -> Int {
        // Nearly all have one byte, for which a comparison replaces the division.
        value < 0x80 ? 1 : (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// Returns the size of a field with a number; 0 if the number is 0.
    @inlinable @inline(__always)
    package static func field(_ key: WireKey, _ value: UInt64) -> Int {
        value == 0 ? 0 : varint(key.tag) + varint(value)
    }

    /// Returns the size of a field with a string, bytes or a message of `count` bytes; 0 if it is empty.
    @inlinable @inline(__always)
    package static func field(_ key: WireKey, count: Int) -> Int {
        count == 0 ? 0 : varint(key.tag) + varint(UInt64(count)) + count
    }
}
