/// Memory that bodies are written into, again and again.
///
/// `reserve` makes room for a whole body, then each byte is stored without asking whether there is room or whether the
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

    /// What was written since the last `reserve`; good until the next.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Begins anew, with room for so many bytes.
    mutating func reserve(_ bytes: Int) {
        count = 0
        guard bytes > capacity else { return }
        base.deallocate()
        capacity = bytes * 2
        base = .allocate(capacity: capacity)
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

    /// A string or bytes, left out when empty.
    @inline(__always)
    mutating func appendField(_ number: UInt64, _ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        appendLength(number, bytes.count)
        append(bytes)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        assert(count + bytes.count <= capacity, "more is written than was reserved")
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    private mutating func store(_ byte: UInt8) {
        assert(count < capacity, "more is written than was reserved")
        base[count] = byte
        count += 1
    }
}
