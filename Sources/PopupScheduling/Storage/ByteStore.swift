/// The location of a text in a `ByteStore`.
struct ByteReference: BitwiseCopyable {
    /// The start of its block in units of eight bytes: the number of the chunk in the high bits, the position in it in
    /// the low bits.
    var block: UInt32
    var count: UInt32

    static let empty = ByteReference(block: .max, count: 0)
    var isEmpty: Bool { count == 0 }
}

/// The memory for the texts of all popups and groups: blocks of 137 sizes, cut from chunks that have blocks of one size
/// each.
///
/// Storing and releasing a text take O(1) plus the copy, and allocate memory only when a size needs another chunk. A
/// block has at most seven unused bytes up to 512 bytes, and at most a ninth above. A chunk without texts is freed, so
/// that other sizes can use the memory; each size keeps its last chunk.
///
/// A chunk in which few texts are left cannot be freed. If such chunks take too much memory, the store is sparse: then
/// the owners of texts let it move them together, step by step; see `Compaction.swift`. No text moves otherwise.
struct ByteStore: ~Copyable {
    /// The largest text that can be stored.
    static let maxCount = BlockSize.bytes(ofClass: BlockSize.count - 1)

    /// The size of a chunk in bytes. A larger block spans several chunks.
    private static let chunkSize = 1 << 16
    private static let unit = 8
    private static let chunkShift: UInt32 = 13
    /// The number of chunks in 32 GiB, whose units a number of 32 bits can address, minus space for the largest block.
    private static let addressableChunks = 1 << 19 - 4
    /// The number of chunks that the largest block spans.
    private static let largestSpan = (maxCount + chunkSize - 1) / chunkSize

    /// The seed of the hashes. It differs from store to store, so that no client can choose texts with equal hashes.
    let hashSeed: UInt64

    /// The bytes of all texts in the store, counted as whole blocks, of lent ones once more, and of texts stored
    /// elsewhere.
    private(set) var usedBytes = 0
    /// The bytes of all blocks of all chunks, in use or free.
    private(set) var heldBytes = 0

    /// The bytes of free blocks, besides a fifteenth of `usedBytes`, above which the store is sparse. A chunk of each
    /// size takes less than half of it.
    static let mostFreeBytes = 32 << 20
    /// `mostFreeBytes`, or what a test sets instead. If it is negative, the store is always sparse, and all texts move.
    private var mostFreeBytes = Self.mostFreeBytes
    /// Whether chunks with few texts take so much memory that texts have to be moved together.
    private(set) var isSparse = false
    /// The number of chunks added since it is sparse.
    private(set) var chunksAddedWhileSparse = 0
    /// The bytes of the texts that were moved so far.
    private(set) var movedBytes = 0

    /// The maximum number of chunk numbers.
    private let maxChunks: Int
    /// The number of chunk numbers used so far, of `maxChunks`.
    var chunkNumbers: Int { chunks.count }

    /// The address of each chunk by its number; invalid for a freed chunk.
    private var starts = Buffer<UnsafeMutableRawPointer>()
    private var chunks = Buffer<Chunk>()
    /// For each size the first chunk with a free block.
    private var open: Buffer<Int32>
    /// The numbers of freed chunks by the length of their span, linked through the chunks.
    private var freeNumbers: Buffer<Int32>

    init(hashSeed: UInt64 = 0, maxChunks: Int = addressableChunks) {
        self.hashSeed = hashSeed
        self.maxChunks = maxChunks
        open = Buffer(repeating: Chunk.nowhere, count: BlockSize.count)
        freeNumbers = Buffer(repeating: Chunk.nowhere, count: Self.largestSpan + 1)
    }

    deinit {
        for number in 0..<chunks.count where chunks[number].span > 0 { starts[number].deallocate() }
    }

    /// Returns the hash of a text, whether or not it is in the store.
    @inline(__always)
    func hash(_ text: UnsafeRawBufferPointer) -> UInt32 { text.hash(seed: hashSeed) }

    /// Returns the bytes that a text of a length takes.
    @inline(__always)
    static func blockBytes(for count: Int) -> Int {
        count == 0 ? 0 : BlockSize.bytes(ofClass: BlockSize.sizeClass(for: count))
    }

    /// Whether a text of a length can be stored: the number of chunks is limited.
    func hasRoom(for count: Int) -> Bool {
        guard count > 0 else { return true }
        guard count <= Self.maxCount else { return false }
        let size = BlockSize.sizeClass(for: count)
        return chunks.count < maxChunks || open[size] != Chunk.nowhere
            || freeNumbers[Self.span(of: size)] != Chunk.nowhere
    }

    /// Copies `bytes` into the store.
    mutating func store(_ bytes: UnsafeRawBufferPointer) -> ByteReference {
        guard !bytes.isEmpty else { return .empty }
        let reference = reserve(bytes.count)
        start(of: reference.block).copyName(from: bytes.baseAddress!, byteCount: bytes.count)
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

    /// Copies `bytes` over a text, if both take blocks of one size; `nil` if they do not, and nothing has changed.
    @inline(__always)
    mutating func replace(_ reference: ByteReference, by bytes: UnsafeRawBufferPointer) -> ByteReference? {
        guard let first = bytes.baseAddress, !reference.isEmpty,
            BlockSize.sizeClass(for: bytes.count) == BlockSize.sizeClass(for: Int(reference.count))
        else { return nil }
        start(of: reference.block).copyMemory(from: first, byteCount: bytes.count)
        return ByteReference(block: reference.block, count: UInt32(bytes.count))
    }

    /// Lends a text to a second record. Its bytes are counted as if it was stored again. Instead of being released, it
    /// is taken back, before the first record releases it.
    @inline(__always)
    mutating func lend(_ reference: ByteReference) -> ByteReference {
        usedBytes += Self.blockBytes(for: Int(reference.count))
        return reference
    }

    /// Takes back a text that was lent.
    @inline(__always)
    mutating func takeBack(_ reference: ByteReference) {
        usedBytes -= Self.blockBytes(for: Int(reference.count))
    }

    /// Adds to the counted bytes those of texts stored elsewhere; a negative number subtracts.
    mutating func countBytes(_ bytes: Int) { usedBytes += bytes }

    /// Frees the block of a text.
    mutating func release(_ reference: ByteReference) {
        guard !reference.isEmpty else { return }
        let size = BlockSize.sizeClass(for: Int(reference.count))
        let number = Int32(reference.block >> Self.chunkShift)
        let hadRoom = chunks[Int(number)].hasRoom
        start(of: reference.block).storeBytes(of: chunks[Int(number)].firstFree, as: UInt32.self)
        chunks[Int(number)].firstFree = reference.block
        chunks[Int(number)].stored -= 1
        if !hadRoom { link(number, size) }
        usedBytes -= BlockSize.bytes(ofClass: size)
        if chunks[Int(number)].stored == 0 { free(number, size) }
    }

    // MARK: - Sparse chunks

    /// Moves a text out of a chunk of which more than a sixteenth is free into the first chunk of its size with free
    /// blocks. O(1) plus the copy. The text must not be lent.
    mutating func compact(_ reference: inout ByteReference) {
        guard !reference.isEmpty else { return }
        let size = BlockSize.sizeClass(for: Int(reference.count))
        let number = Int(reference.block >> Self.chunkShift)
        let isInSparseChunk =
            Int(open[size]) != number && Int(chunks[number].stored) * 16 < Self.blocks(ofClass: size) * 15
        guard isInSparseChunk || mostFreeBytes < 0 else { return }
        let moved = reserve(Int(reference.count))
        start(of: moved.block).copyMemory(from: start(of: reference.block), byteCount: Int(reference.count))
        release(reference)
        movedBytes += Int(moved.count)
        reference = moved
    }

    /// Ends the moving of texts if few bytes are free by now.
    mutating func endCompactingIfDense() {
        guard mostFreeBytes >= 0, heldBytes <= usedBytes + usedBytes / 15 + mostFreeBytes / 2 else { return }
        isSparse = false
        chunksAddedWhileSparse = 0
    }

    /// Sets the bytes of free blocks above which the store is sparse, for tests.
    mutating func setMostFreeBytes(_ bytes: Int) {
        mostFreeBytes = bytes
        isSparse = bytes < 0
    }

    /// The text of a reference. It is valid until it is released.
    @inline(__always)
    subscript(reference: ByteReference) -> UnsafeRawBufferPointer {
        guard !reference.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start(of: reference.block), count: Int(reference.count))
    }

    @inline(__always)
    private mutating func reserve(_ count: Int) -> ByteReference {
        precondition(count <= Self.maxCount, "a text of \(count) bytes is above the store's largest block")
        let size = BlockSize.sizeClass(for: count)
        let bytes = BlockSize.bytes(ofClass: size)
        usedBytes += bytes
        if open[size] == Chunk.nowhere { addChunk(for: size, bytes) }
        let number = Int(open[size])
        var block = chunks[number].firstFree
        if block != Chunk.none {
            chunks[number].firstFree = start(of: block).load(as: UInt32.self)
        } else {
            block = chunks[number].nextUncut
            chunks[number].nextUncut += UInt32(bytes / Self.unit)
            chunks[number].uncut -= 1
        }
        chunks[number].stored += 1
        if !chunks[number].hasRoom { unlink(Int32(number), size) }
        return ByteReference(block: block, count: UInt32(count))
    }

    /// Returns the number of blocks of a chunk of a size.
    private static func blocks(ofClass size: Int) -> Int { span(of: size) * chunkSize / BlockSize.bytes(ofClass: size) }

    private static func span(of size: Int) -> Int { (BlockSize.bytes(ofClass: size) + chunkSize - 1) / chunkSize }

    /// Adds a chunk for blocks of a size.
    private mutating func addChunk(for size: Int, _ bytes: Int) {
        let span = Self.span(of: size)
        // What is no block is not allocated: it would be up to half of a chunk.
        let blocks = Self.blocks(ofClass: size)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: blocks * bytes, alignment: 64)
        heldBytes += blocks * bytes
        if heldBytes > usedBytes + usedBytes / 15 + mostFreeBytes {
            isSparse = true
            chunksAddedWhileSparse += span
        }
        var number = freeNumbers[span]
        if number != Chunk.nowhere {
            freeNumbers[span] = chunks[Int(number)].next
        } else {
            precondition(chunks.count < maxChunks, "the texts fill all chunks")
            number = Int32(chunks.count)
            for _ in 0..<span {
                starts.append(memory)
                chunks.append(Chunk())
            }
        }
        for part in 0..<span { starts[Int(number) + part] = memory + part * Self.chunkSize }
        chunks[Int(number)] = Chunk(
            nextUncut: UInt32(number) << Self.chunkShift, uncut: UInt32(blocks),
            span: UInt32(span))
        link(number, size)
    }

    /// Frees an empty chunk, unless it is the only one of its size with free blocks.
    private mutating func free(_ number: Int32, _ size: Int) {
        guard chunks[Int(number)].next != Chunk.nowhere || chunks[Int(number)].previous != Chunk.nowhere else { return }
        unlink(number, size)
        let span = Int(chunks[Int(number)].span)
        starts[Int(number)].deallocate()
        heldBytes -= Self.blocks(ofClass: size) * BlockSize.bytes(ofClass: size)
        chunks[Int(number)] = Chunk(next: freeNumbers[span])
        freeNumbers[span] = number
    }

    /// Puts a chunk first in the list of chunks of its size with free blocks.
    private mutating func link(_ number: Int32, _ size: Int) {
        let next = open[size]
        chunks[Int(number)].next = next
        chunks[Int(number)].previous = Chunk.nowhere
        if next != Chunk.nowhere { chunks[Int(next)].previous = number }
        open[size] = number
    }

    private mutating func unlink(_ number: Int32, _ size: Int) {
        let (next, previous) = (chunks[Int(number)].next, chunks[Int(number)].previous)
        if next != Chunk.nowhere { chunks[Int(next)].previous = previous }
        if previous != Chunk.nowhere { chunks[Int(previous)].next = next } else { open[size] = next }
    }

    @inline(__always)
    private func start(of block: UInt32) -> UnsafeMutableRawPointer {
        starts[Int(block >> Self.chunkShift)] + Int(block & (1 << Self.chunkShift - 1)) * Self.unit
    }
}

/// A chunk, from which blocks of one size are cut: its freed blocks, linked through their first four bytes, and those
/// not cut yet.
private struct Chunk: BitwiseCopyable {
    static let none = UInt32.max
    /// The end of a list of chunks.
    static let nowhere: Int32 = -1

    var firstFree = none
    /// The next block to be cut, and the number of those that remain.
    var nextUncut: UInt32 = 0
    var uncut: UInt32 = 0
    /// The number of blocks in use.
    var stored: UInt32 = 0
    /// The number of chunks that are one piece of memory from this one on; 0 for a chunk within such a piece, or a
    /// freed one.
    var span: UInt32 = 0
    // Its neighbours among the chunks of its size with free blocks.
    var next = nowhere
    var previous = nowhere

    var hasRoom: Bool { firstFree != Self.none || uncut > 0 }
}

/// The sizes of blocks.
enum BlockSize {
    /// The number of sizes: 8, 16, 24, … 512, then eight sizes for each power of two: 576, 640, … 262144, 294912.
    static let count = 137

    @inline(__always)
    static func sizeClass(for count: Int) -> Int {
        count <= 512 ? (count - 1) >> 3 : largeClass(for: count)
    }

    private static func largeClass(for count: Int) -> Int {
        let last = count - 1
        let exponent = Int.bitWidth - 1 - last.leadingZeroBitCount
        return 64 + (exponent - 9) * 8 + (last >> (exponent - 3)) - 8
    }

    @inline(__always)
    static func bytes(ofClass sizeClass: Int) -> Int {
        sizeClass < 64 ? (sizeClass + 1) << 3 : bytes(ofLargeClass: sizeClass)
    }

    private static func bytes(ofLargeClass sizeClass: Int) -> Int {
        let (doubling, step) = ((sizeClass - 64) >> 3, (sizeClass - 64) & 7)
        return (step + 9) << (doubling + 6)
    }
}
