/// Records of one kind, each at an index that is its own until it is freed.
///
/// Chunks never move, so growing costs one chunk, not a copy of all; a freed place is taken again before a new one, the
/// latest first. Free places are linked through their first four bytes, the others stay as they were.
struct Slab<Record: BitwiseCopyable>: ~Copyable {
    private static var shift: Int { 10 }
    private static var mask: Int { 1 << shift - 1 }
    /// From so many chunks on so many are allocated together, so that they may lie in large pages.
    private static var group: Int { 32 }

    private var chunks = Buffer<UnsafeMutablePointer<Record>>()
    private var firstFree = nobody

    /// All indices in use are below it.
    private(set) var capacity: Int32 = 0

    /// How many records there are.
    private(set) var count = 0

    init() {
        assert(MemoryLayout<Record>.size >= MemoryLayout<Int32>.size, "a free place has no room for its link")
    }

    deinit {
        for index in 0..<chunks.count where index < Self.group || index % Self.group == 0 { chunks[index].deallocate() }
    }

    /// Puts a record at a free place. O(1).
    @inline(__always)
    mutating func insert(_ record: Record) -> Int32 {
        count &+= 1
        let index = firstFree == nobody ? extend() : firstFree
        let place = place(of: index)
        firstFree = UnsafeRawPointer(place).load(as: Int32.self)
        place.initialize(to: record)
        return index
    }

    /// Makes a place that was never used, as the last of those that are free.
    @inline(never)
    private mutating func extend() -> Int32 {
        let index = capacity
        precondition(index < Int32.max, "2^31 records of one kind")
        if Int(index) >> Self.shift == chunks.count { addChunks() }
        capacity += 1
        UnsafeMutableRawPointer(place(of: index)).storeBytes(of: nobody, as: Int32.self)
        return index
    }

    /// Frees a place. O(1).
    @inline(__always)
    mutating func remove(_ index: Int32) {
        count &-= 1
        UnsafeMutableRawPointer(place(of: index)).storeBytes(of: firstFree, as: Int32.self)
        firstFree = index
    }

    /// The record at a place in use, changed where it stands.
    subscript(index: Int32) -> Record {
        @inline(__always) unsafeAddress {
            assert(index >= 0 && index < capacity, "an index outside of its table")
            return UnsafePointer(place(of: index))
        }
        @inline(__always) unsafeMutableAddress {
            assert(index >= 0 && index < capacity, "an index outside of its table")
            return place(of: index)
        }
    }

    /// Where the record at a place in use stands, for a table that hands it on.
    @inline(__always)
    func address(of index: Int32) -> UnsafePointer<Record> { UnsafePointer(place(of: index)) }

    @inline(__always)
    func mutableAddress(of index: Int32) -> UnsafeMutablePointer<Record> { place(of: index) }

    @inline(__always)
    private func place(of index: Int32) -> UnsafeMutablePointer<Record> {
        chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask)
    }

    private mutating func addChunks() {
        let number = chunks.count < Self.group ? 1 : Self.group
        let memory: UnsafeMutablePointer<Record> = LargePages.allocate(number << Self.shift)
        for chunk in 0..<number { chunks.append(memory + (chunk << Self.shift)) }
    }
}

/// "No record": the end of a chain of indices.
let nobody: Int32 = -1
