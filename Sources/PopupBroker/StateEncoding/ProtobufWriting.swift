/// Writes protobuf's wire format at the end of bytes that are used again and again.
extension [UInt8] {
    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number, as protobuf has it left out when it is 0.
    @inline(__always)
    mutating func appendField(_ number: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        appendVarint(number << 3)
        appendVarint(value)
    }

    /// The beginning of a string, bytes or message of so many bytes.
    @inline(__always)
    mutating func appendLength(_ number: UInt64, _ count: Int) {
        appendVarint(number << 3 | 2)
        appendVarint(UInt64(count))
    }

    /// A string or bytes, left out when empty.
    @inline(__always)
    mutating func appendField(_ number: UInt64, _ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        appendLength(number, bytes.count)
        append(contentsOf: bytes)
    }
}

/// The bytes that fields take.
enum ProtobufSize {
    @inline(__always)
    static func varint(_ value: UInt64) -> Int {
        // Nearly all are one byte: a comparison instead of a division.
        value < 0x80 ? 1 : (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// A number, left out when it is 0.
    @inline(__always)
    static func field(_ number: UInt64, _ value: UInt64) -> Int {
        value == 0 ? 0 : varint(number << 3) + varint(value)
    }

    /// A string, bytes or message of so many bytes, left out when empty.
    @inline(__always)
    static func field(_ number: UInt64, count: Int) -> Int {
        count == 0 ? 0 : varint(number << 3) + varint(UInt64(count)) + count
    }
}
