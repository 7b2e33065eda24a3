/// Where a text stands in a `ByteStore`.
struct ByteReference: BitwiseCopyable {
    /// The size class in the five highest bits, the block's number within it below.
    var block: UInt32
    var count: UInt32

    static let empty = ByteReference(block: .max, count: 0)
    var isEmpty: Bool { count == 0 }
}

/// Owns the texts of all popups and groups: blocks of 28 sizes, each size with a list of free blocks.
///
/// Storing and releasing are O(1) plus the copy, and allocate only when a size needs another chunk. A text never
/// moves. At most a third of a block is unused, for texts above 32 bytes.
struct ByteStore: ~Copyable {
    /// The largest text that can be stored.
    static let maximumCount = 1 << 18

    /// The bytes of all texts in the store, as blocks count them.
    private(set) var usedBytes = 0

    private var sizes: UnsafeMutablePointer<BlockSize>
    private static let sizeCount = 28

    init() {
        sizes = .allocate(capacity: Self.sizeCount)
        for sizeClass in 0..<Self.sizeCount { (sizes + sizeClass).initialize(to: BlockSize(sizeClass: sizeClass)) }
    }

    deinit {
        sizes.deinitialize(count: Self.sizeCount)
        sizes.deallocate()
    }

    /// What a text of so many bytes takes.
    static func blockBytes(for count: Int) -> Int {
        count == 0 ? 0 : BlockSize.bytes(ofClass: BlockSize.sizeClass(for: count))
    }

    /// Whether there is a block for a text of so many bytes: each size has its number of blocks.
    func hasRoom(for count: Int) -> Bool {
        count == 0 || count <= Self.maximumCount && sizes[BlockSize.sizeClass(for: count)].hasRoom
    }

    /// Copies `bytes` into the store.
    mutating func store(_ bytes: UnsafeRawBufferPointer) -> ByteReference {
        guard !bytes.isEmpty else { return .empty }
        let reference = reserve(bytes.count)
        start(of: reference).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        return reference
    }

    /// Copies three texts into one block, one after the other.
    mutating func store(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
    ) -> ByteReference {
        let count = first.count + second.count + third.count
        guard count > 0 else { return .empty }
        let reference = reserve(count)
        let block = UnsafeMutableRawBufferPointer(start: start(of: reference), count: count)
        block.copyBytes(from: first)
        UnsafeMutableRawBufferPointer(rebasing: block[first.count...]).copyBytes(from: second)
        UnsafeMutableRawBufferPointer(rebasing: block[(first.count + second.count)...]).copyBytes(from: third)
        return reference
    }

    /// Gives the block back.
    mutating func release(_ reference: ByteReference) {
        guard !reference.isEmpty else { return }
        let sizeClass = Int(reference.block >> 27)
        sizes[sizeClass].release(reference.block & BlockSize.numberMask)
        usedBytes -= sizes[sizeClass].bytes
    }

    /// The text. Good until it is released.
    subscript(reference: ByteReference) -> UnsafeRawBufferPointer {
        guard !reference.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start(of: reference), count: Int(reference.count))
    }

    private mutating func reserve(_ count: Int) -> ByteReference {
        precondition(count <= Self.maximumCount, "a text of \(count) bytes is above the store's largest block")
        let sizeClass = BlockSize.sizeClass(for: count)
        let number = sizes[sizeClass].reserve()
        usedBytes += sizes[sizeClass].bytes
        return ByteReference(block: UInt32(sizeClass) << 27 | number, count: UInt32(count))
    }

    private func start(of reference: ByteReference) -> UnsafeMutableRawPointer {
        sizes[Int(reference.block >> 27)].start(of: reference.block & BlockSize.numberMask)
    }
}

/// All blocks of one size: in chunks of about 64 KiB, free ones linked through their first four bytes.
struct BlockSize: ~Copyable {
    static let numberMask: UInt32 = 1 << 27 - 1
    static let none = numberMask

    let bytes: Int
    /// A chunk holds `1 << shift` blocks.
    let shift: Int
    var chunks = Buffer<UnsafeMutableRawPointer>(minimumCapacity: 4)
    var firstFree = none
    var unused: UInt32 = 0

    init(sizeClass: Int) {
        bytes = Self.bytes(ofClass: sizeClass)
        let fitting = max(1, 65536 / bytes)
        shift = Int.bitWidth - 1 - fitting.leadingZeroBitCount
    }

    deinit {
        for index in 0..<chunks.count { chunks[index].deallocate() }
    }

    /// 16, 32, then two sizes for each power of two: 48, 64, 96, 128, … 262144.
    static func bytes(ofClass sizeClass: Int) -> Int {
        guard sizeClass >= 2 else { return 16 << sizeClass }
        let power = 64 << ((sizeClass - 2) / 2)
        return sizeClass % 2 == 0 ? power / 4 * 3 : power
    }

    static func sizeClass(for count: Int) -> Int {
        if count <= 16 { return 0 }
        if count <= 32 { return 1 }
        let exponent = Int.bitWidth - (count - 1).leadingZeroBitCount
        let threeQuarters = (1 << exponent) / 4 * 3
        return 2 + (exponent - 6) * 2 + (count <= threeQuarters ? 0 : 1)
    }

    var hasRoom: Bool { firstFree != Self.none || unused < Self.none }

    mutating func reserve() -> UInt32 {
        if firstFree != Self.none {
            let number = firstFree
            firstFree = start(of: number).load(as: UInt32.self)
            return number
        }
        let number = unused
        unused += 1
        precondition(number < Self.none, "2^27 blocks of one size are in use")
        if Int(number) >> shift == chunks.count {
            chunks.append(.allocate(byteCount: bytes << shift, alignment: 16))
        }
        return number
    }

    mutating func release(_ number: UInt32) {
        start(of: number).storeBytes(of: firstFree, as: UInt32.self)
        firstFree = number
    }

    func start(of number: UInt32) -> UnsafeMutableRawPointer {
        chunks[Int(number) >> shift] + (Int(number) & (1 << shift - 1)) * bytes
    }
}
