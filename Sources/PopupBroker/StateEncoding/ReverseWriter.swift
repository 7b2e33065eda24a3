import PopupProtocol
import PopupScheduling

/// A reused buffer that is written from its end to its beginning, in protobuf's wire format: a part of a body is there
/// before its length is written, so no length has to be computed first.
struct ReverseBuffer: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// The position of the first byte that was written; the end of the buffer if there is none.
    private(set) var start: Int

    init() {
        capacity = 1024
        base = .allocate(byteCount: capacity, alignment: 16)
        start = capacity
    }

    deinit {
        base.deallocate()
    }

    /// The position behind the last byte.
    var end: Int { capacity }

    /// Returns the bytes in a range of positions; valid until the next ones are written.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        assert(range.lowerBound >= start && range.upperBound <= capacity, "bytes that were not written")
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Returns a writer that begins at the end, with space for this many bytes.
    @inline(__always)
    mutating func writer(reserving bytes: Int) -> ReverseWriter {
        if bytes > capacity { grow(to: bytes) }
        return writer(before: capacity)
    }

    /// Returns a writer that begins before the byte at a position. The bytes before it are forgotten.
    @inline(__always)
    func writer(before position: Int) -> ReverseWriter { ReverseWriter(base, position) }

    /// Takes over what a writer has written.
    @inline(__always)
    mutating func finish(_ writer: ReverseWriter) { start = writer.place - base }

    @inline(never)
    private mutating func grow(to bytes: Int) {
        base.deallocate()
        capacity = max(capacity * 2, bytes)
        base = .allocate(byteCount: capacity, alignment: 16)
    }
}

/// A place in a `ReverseBuffer`, before which the next bytes are written. It is a value of its own, so that it stays in
/// a register and is not stored after each byte.
struct ReverseWriter {
    /// The place of the byte that was written last.
    private(set) var place: UnsafeMutableRawPointer
    private let base: UnsafeMutableRawPointer

    @inline(__always)
    fileprivate init(_ base: UnsafeMutableRawPointer, _ position: Int) {
        self.base = base
        place = base + position
    }

    @inline(__always)
    private mutating func makeRoom(for bytes: Int) {
        place -= bytes
        assert(place >= base, "more is written than was reserved")
    }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
        makeRoom(for: 1)
        place.storeBytes(of: byte, as: UInt8.self)
    }

    @inline(__always)
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        makeRoom(for: bytes.count)
        place.copyMemory(from: first, byteCount: bytes.count)
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a few bytes.
    @inline(__always)
    mutating func write(name: UnsafeRawBufferPointer) {
        guard let first = name.baseAddress else { return }
        makeRoom(for: name.count)
        place.copyName(from: first, byteCount: name.count)
    }

    /// Writes a varint: seven bits per byte, the lowest first.
    @inline(__always)
    mutating func writeVarint(_ value: UInt64) {
        if value < 0x80 {
            write(UInt8(truncatingIfNeeded: value))
        } else if value < 0x4000 {
            // Two bytes: nearly every length of a popup.
            makeRoom(for: 2)
            let bytes = UInt16(truncatingIfNeeded: value & 0x7F | 0x80 | (value >> 7) << 8)
            place.storeBytes(of: bytes.littleEndian, as: UInt16.self)
        } else {
            place = Self.writeLongVarint(value, before: place)
            assert(place >= base, "more is written than was reserved")
        }
    }

    /// Takes the place by value, so that the caller can keep it in a register.
    @inline(never)
    private static func writeLongVarint(
        _ value: UInt64, before end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let start = end - ProtobufSize.varint(value)
        var (rest, place) = (value, start)
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            rest >>= 7
            place += 1
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        return start
    }

    /// Writes a field with a number, unless it is 0.
    @inline(__always)
    mutating func writeField(_ key: WireKey, _ value: UInt64) {
        guard value != 0 else { return }
        writeVarint(value)
        writeVarint(key.tag)
    }

    /// Writes a field with a name, unless it is empty.
    @inline(__always)
    mutating func writeField(_ key: WireKey, _ name: UnsafeRawBufferPointer) {
        guard !name.isEmpty else { return }
        write(name: name)
        writeVarint(UInt64(truncatingIfNeeded: name.count))
        writeVarint(key.tag)
    }

    /// Writes the tag and the length of a message, whose fields were written since `end` was the place.
    @inline(__always)
    mutating func writeLength(_ key: WireKey, since end: UnsafeMutableRawPointer) {
        writeVarint(UInt64(truncatingIfNeeded: end - place))
        writeVarint(key.tag)
    }
}
