/// An encoder of values: numbers as LEB128 (signed ones in zigzag form), texts after their length.
///
/// Values are written into a block that is appended when it is full. Most values take a byte or two, and appending each
/// one would cost more than writing it.
struct StateEncoder: ~Copyable {
    private static let blockSize = 1 << 16
    private static let longestNumber = 10

    private var bytes: [UInt8] = []
    private let block: UnsafeMutablePointer<UInt8>
    private var filled = 0

    /// Creates an encoder that appends to `bytes`. It moves them out of the variable until `finish`.
    init(appendingTo bytes: inout [UInt8]) {
        block = .allocate(capacity: Self.blockSize)
        swap(&self.bytes, &bytes)
    }

    deinit {
        block.deallocate()
    }

    /// Moves the bytes with the encoded values back.
    consuming func finish(_ bytes: inout [UInt8]) {
        flush()
        swap(&self.bytes, &bytes)
    }

    mutating func add(_ number: UInt64) {
        if filled > Self.blockSize - Self.longestNumber { flush() }
        var rest = number
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    mutating func add(_ number: some SignedInteger & FixedWidthInteger) {
        let wide = Int64(number)
        add(UInt64(bitPattern: wide << 1 ^ wide >> 63))
    }

    mutating func add(_ number: some UnsignedInteger & FixedWidthInteger) {
        add(UInt64(number))
    }

    mutating func add(_ flag: Bool) {
        add(flag ? 1 : 0 as UInt64)
    }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        add(UInt64(text.count))
        guard let start = text.baseAddress else { return }
        if text.count > Self.blockSize - filled { flush() }
        guard text.count <= Self.blockSize else { return bytes.append(contentsOf: text) }
        UnsafeMutableRawPointer(block + filled).copyMemory(from: start, byteCount: text.count)
        filled += text.count
    }

    mutating func add(_ text: [UInt8]) {
        text.withUnsafeBytes { add($0) }
    }

    /// Encodes an optional value: a flag, then the value.
    mutating func add<Value>(_ value: Value?, _ write: (inout StateEncoder, Value) -> Void) {
        add(value != nil)
        if let value { write(&self, value) }
    }

    /// Encodes the number of values, then each value.
    mutating func add<Values: Collection>(_ values: Values, _ write: (inout StateEncoder, Values.Element) -> Void) {
        add(UInt64(values.count))
        for value in values { write(&self, value) }
    }

    /// Writes a byte into the block, which must have space.
    private mutating func put(_ byte: UInt8) {
        (block + filled).initialize(to: byte)
        filled += 1
    }

    private mutating func flush() {
        bytes.append(contentsOf: UnsafeBufferPointer(start: block, count: filled))
        filled = 0
    }
}
