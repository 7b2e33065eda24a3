import PopupScheduling

/// Memory that bodies are written into, again and again.
///
/// `makeRoom` makes room for a whole body, then each byte is stored without asking whether there is room or whether the
/// memory is shared, which an array asks for each: a body has some thirty small fields, and one is written a message.
struct ByteWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 1024
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// What was written; good until more is.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Begins anew, in the same memory.
    @inline(__always)
    mutating func removeAll() {
        count = 0
    }

    /// Makes room for so many bytes more.
    @inline(__always)
    mutating func makeRoom(for bytes: Int) {
        if bytes > capacity &- count { grow(by: bytes) }
    }

    private mutating func grow(by bytes: Int) {
        capacity = max(capacity * 2, count + bytes)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            store(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        store(UInt8(truncatingIfNeeded: rest))
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

    /// A name, left out when empty.
    @inline(__always)
    mutating func appendField(_ number: UInt64, _ name: UnsafeRawBufferPointer) {
        guard !name.isEmpty else { return }
        appendLength(number, name.count)
        append(name: name)
    }

    /// A few bytes, copied as names are.
    @inline(__always)
    mutating func append(name: UnsafeRawBufferPointer) {
        guard let start = name.baseAddress else { return }
        assert(count + name.count <= capacity, "more is written than was reserved")
        UnsafeMutableRawPointer(base + count).copyName(from: start, byteCount: name.count)
        count &+= name.count
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        store(byte)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        assert(count + bytes.count <= capacity, "more is written than was reserved")
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    private mutating func store(_ byte: UInt8) {
        assert(count < capacity, "more is written than was reserved")
        base[count] = byte
        count &+= 1
    }
}
