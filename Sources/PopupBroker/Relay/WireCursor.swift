/// Reads protobuf's wire format where it lies, without decoding messages: nothing is copied or allocated.
struct WireCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    let end: Int

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    @inline(__always)
    var isAtEnd: Bool { position >= end }

    /// A number of at most 64 bits; `nil` when the bytes end before it does.
    @inline(__always)
    mutating func varint() -> UInt64? {
        guard position < end else { return nil }
        let first = bytes[position]
        position += 1
        return first < 0x80 ? UInt64(first) : longVarint(UInt64(first & 0x7F))
    }

    private mutating func longVarint(_ low: UInt64) -> UInt64? {
        var value = low
        for shift in stride(from: 7, to: 64, by: 7) {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        return nil
    }

    /// A number of 32 bits; `nil` also when it has more.
    @inline(__always)
    mutating func uint32() -> UInt32? {
        varint().flatMap { UInt32(exactly: $0) }
    }

    /// A signed number of 32 bits, sign-extended as protobuf has it; `nil` also when it has more.
    @inline(__always)
    mutating func int32() -> Int32? {
        varint().flatMap { Int32(exactly: Int64(bitPattern: $0)) }
    }

    /// The place of a string, bytes or message; `nil` when the bytes end before it does.
    @inline(__always)
    mutating func range() -> Range<Int>? {
        guard let count = varint(), count <= UInt64(end - position) else { return nil }
        let start = position
        position += Int(count)
        return start..<position
    }

    /// Passes a field's value over; `nil` when the bytes end before it does, or it is of no known type.
    mutating func skip(tag: UInt64) -> Void? {
        switch tag & 7 {
        case 0: return varint().map { _ in }
        case 1: return advance(8)
        case 2: return range().map { _ in }
        case 5: return advance(4)
        default: return nil
        }
    }

    private mutating func advance(_ count: Int) -> Void? {
        guard count <= end - position else { return nil }
        position += count
        return ()
    }
}
