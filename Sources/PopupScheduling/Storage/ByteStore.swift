/// Where a text stands in a `ByteStore`.
struct ByteReference: BitwiseCopyable {
    /// Where its block begins, in units of eight bytes: the chunk in the high bits, the place in it below.
    var block: UInt32
    var count: UInt32

    static let empty = ByteReference(block: .max, count: 0)
    var isEmpty: Bool { count == 0 }
}

/// Owns the texts of all popups and groups: blocks of 137 sizes, each size with a list of free blocks.
///
/// Storing and releasing are O(1) plus the copy, and allocate only when a size needs another chunk. A text never
/// moves. At most seven bytes of a block are unused up to 512 bytes, and a ninth of it above.
struct ByteStore: ~Copyable {
    /// The largest text that can be stored.
    static let maximumCount = BlockSize.bytes(ofClass: BlockSize.count - 1)

    /// In bytes: what blocks are cut from. A larger block spans several.
    private static let chunkSize = 1 << 16
    private static let unit = 8
    private static let chunkShift: UInt32 = 13
    /// So many chunks of units have a number of 32 bits, with room left for the largest block: 32 GiB.
    private static let mostChunks = 1 << 19 - 4

    /// The bytes of all texts in the store, as blocks count them.
    private(set) var usedBytes = 0

    /// The chunks in the order of their making.
    private var chunks = Buffer<UnsafeMutableRawPointer>()
    /// Those that begin an allocation.
    private var allocations = Buffer<UnsafeMutableRawPointer>()
    private var sizes: Buffer<BlockSize>

    init() {
        sizes = Buffer(repeating: BlockSize(), count: BlockSize.count)
    }

    deinit {
        for index in 0..<allocations.count { allocations[index].deallocate() }
    }

    /// What a text of so many bytes takes.
    static func blockBytes(for count: Int) -> Int {
        count == 0 ? 0 : BlockSize.bytes(ofClass: BlockSize.sizeClass(for: count))
    }

    /// Whether there is a block for a text of so many bytes: the number of chunks has a limit.
    func hasRoom(for count: Int) -> Bool {
        count == 0
            || count <= Self.maximumCount
                && (chunks.count < Self.mostChunks || !sizes[BlockSize.sizeClass(for: count)].isUsedUp)
    }

    /// Copies `bytes` into the store.
    mutating func store(_ bytes: UnsafeRawBufferPointer) -> ByteReference {
        guard !bytes.isEmpty else { return .empty }
        let reference = reserve(bytes.count)
        start(of: reference.block).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        return reference
    }

    /// Copies four texts into one block, one after the other.
    mutating func store(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer,
        _ fourth: UnsafeRawBufferPointer
    ) -> ByteReference {
        let count = first.count + second.count + third.count + fourth.count
        guard count > 0 else { return .empty }
        let reference = reserve(count)
        var end = start(of: reference.block)
        func add(_ text: UnsafeRawBufferPointer) {
            guard let start = text.baseAddress else { return }
            end.copyMemory(from: start, byteCount: text.count)
            end += text.count
        }
        add(first)
        add(second)
        add(third)
        add(fourth)
        return reference
    }

    /// Gives the block back.
    mutating func release(_ reference: ByteReference) {
        guard !reference.isEmpty else { return }
        let size = BlockSize.sizeClass(for: Int(reference.count))
        start(of: reference.block).storeBytes(of: sizes[size].firstFree, as: UInt32.self)
        sizes[size].firstFree = reference.block
        usedBytes -= BlockSize.bytes(ofClass: size)
    }

    /// The text. Good until it is released.
    @inline(__always)
    subscript(reference: ByteReference) -> UnsafeRawBufferPointer {
        guard !reference.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start(of: reference.block), count: Int(reference.count))
    }

    private mutating func reserve(_ count: Int) -> ByteReference {
        precondition(count <= Self.maximumCount, "a text of \(count) bytes is above the store's largest block")
        let size = BlockSize.sizeClass(for: count)
        let bytes = BlockSize.bytes(ofClass: size)
        usedBytes += bytes
        var block = sizes[size].firstFree
        if block != BlockSize.none {
            sizes[size].firstFree = start(of: block).load(as: UInt32.self)
        } else {
            if sizes[size].uncut == 0 { addChunk(for: size, bytes) }
            block = sizes[size].next
            sizes[size].next += UInt32(bytes / Self.unit)
            sizes[size].uncut -= 1
        }
        return ByteReference(block: block, count: UInt32(count))
    }

    /// Lets blocks of a size be cut from another chunk.
    private mutating func addChunk(for size: Int, _ bytes: Int) {
        precondition(chunks.count < Self.mostChunks, "the texts fill 32 GiB")
        let span = (bytes + Self.chunkSize - 1) / Self.chunkSize
        let memory = UnsafeMutableRawPointer.allocate(byteCount: span * Self.chunkSize, alignment: 64)
        allocations.append(memory)
        sizes[size].next = UInt32(chunks.count) << Self.chunkShift
        sizes[size].uncut = UInt32(span * Self.chunkSize / bytes)
        for chunk in 0..<span { chunks.append(memory + chunk * Self.chunkSize) }
    }

    @inline(__always)
    private func start(of block: UInt32) -> UnsafeMutableRawPointer {
        chunks[Int(block >> Self.chunkShift)] + Int(block & (1 << Self.chunkShift - 1)) * Self.unit
    }
}

/// The blocks of one size: those given back, linked through their first four bytes, and those not yet cut.
struct BlockSize: BitwiseCopyable {
    static let none = UInt32.max
    /// 8, 16, 24, … 512, then eight sizes for each power of two: 576, 640, … 262144, 294912.
    static let count = 137

    var firstFree = none
    /// The next to be cut, and how many more the chunk has.
    var next: UInt32 = 0
    var uncut: UInt32 = 0

    var isUsedUp: Bool { firstFree == Self.none && uncut == 0 }

    static func sizeClass(for count: Int) -> Int {
        if count <= 512 { return (count - 1) >> 3 }
        let last = count - 1
        let exponent = Int.bitWidth - 1 - last.leadingZeroBitCount
        return 64 + (exponent - 9) * 8 + (last >> (exponent - 3)) - 8
    }

    static func bytes(ofClass sizeClass: Int) -> Int {
        if sizeClass < 64 { return (sizeClass + 1) << 3 }
        let (doubling, step) = ((sizeClass - 64) >> 3, (sizeClass - 64) & 7)
        return (step + 9) << (doubling + 6)
    }
}
