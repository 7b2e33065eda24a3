import PopupProtocol

/// A reused buffer to which bodies are appended.
///
/// `makeRoom` reserves the space for one with its tag and length. Then these are stored without a check of the capacity
/// and of the uniqueness of the memory, as an array would do for each byte.
struct ByteWriter: ~Copyable, ProtobufSink {
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

    /// The bytes so far; valid until more are written.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Removes all bytes, and keeps the memory.
    @inline(__always)
    mutating func removeAll() {
        count = 0
    }

    /// Reserves space for more bytes.
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
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        assert(count + bytes.count <= capacity, "more is written than was reserved")
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        assert(count < capacity, "more is written than was reserved")
        base[count] = byte
        count &+= 1
    }
}
