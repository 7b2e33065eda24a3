/// What protobuf's wire format (protobuf.dev, *Encoding*) is written at the end of.
public protocol ProtobufSink: ~Copyable {
    /// Appends a byte.
    mutating func append(_ byte: UInt8)
}

extension [UInt8]: ProtobufSink {}

extension ProtobufSink where Self: ~Copyable {
    /// Appends a number of 7 bits a byte, the lowest first.
    @inlinable @inline(__always)
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number, which protobuf leaves out when it is 0.
    @inlinable @inline(__always)
    package mutating func appendField(_ key: WireKey, _ value: UInt64) {
        guard value != 0 else { return }
        appendVarint(key.tag)
        appendVarint(value)
    }

    /// Appends the beginning of a string, bytes or message of so many bytes.
    @inlinable @inline(__always)
    package mutating func appendLength(_ key: WireKey, _ count: Int) {
        appendVarint(key.tag)
        appendVarint(UInt64(count))
    }
}

extension [UInt8] {
    /// Appends a string or bytes, left out when empty.
    package mutating func appendField(_ key: WireKey, _ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        appendLength(key, bytes.count)
        append(contentsOf: bytes)
    }

    /// Writes how many bytes follow into a place that one byte was kept free for.
    @inline(__always)
    mutating func setLength(at place: Int) {
        let length = count &- place &- 1
        if length < 0x80 {
            self[place] = UInt8(truncatingIfNeeded: length)
        } else {
            var varint: [UInt8] = []
            varint.appendVarint(UInt64(length))
            replaceSubrange(place...place, with: varint)
        }
    }
}

/// The bytes that fields take.
public enum ProtobufSize {
    /// A number of 7 bits a byte.
    @inlinable @inline(__always)
    package static func varint(_ value: UInt64) -> Int {
        // Nearly all are one byte: a comparison instead of a division.
        value < 0x80 ? 1 : (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// A number, left out when it is 0.
    @inlinable @inline(__always)
    package static func field(_ key: WireKey, _ value: UInt64) -> Int {
        value == 0 ? 0 : varint(key.tag) + varint(value)
    }

    /// A string, bytes or message of so many bytes, left out when empty.
    @inlinable @inline(__always)
    package static func field(_ key: WireKey, count: Int) -> Int {
        count == 0 ? 0 : varint(key.tag) + varint(UInt64(count)) + count
    }
}
