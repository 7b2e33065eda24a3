/// Records of one kind, each at an index that is its own until it is freed.
///
/// Chunks never move, so growing costs one chunk, not a copy of all; a freed place is taken again before a new one, the
/// latest first. Free places are linked through their first four bytes, the others stay as they were.
///
/// In debug builds an index at which there is no record traps: one freed twice, used after it was freed, or of another
/// slab.
struct Slab<Record: BitwiseCopyable>: ~Copyable {
    typealias Index = TableIndex<Record>

    private static var shift: Int { 10 }
    private static var mask: Int { 1 << shift - 1 }
    /// From so many chunks on so many are allocated together, so that they may lie in large pages.
    private static var group: Int { 32 }

    private var chunks = Buffer<UnsafeMutablePointer<Record>>()
    private var firstFree = Packed<Index>()
    #if DEBUG
        private var isUsed: [Bool] = []
    #endif

    /// How many places there are, in use and free.
    private(set) var capacity = 0

    /// How many records there are.
    private(set) var count = 0

    init() {
        assert(MemoryLayout<Record>.size >= MemoryLayout<UInt32>.size, "a free place has no room for its link")
    }

    deinit {
        for index in 0..<chunks.count where index < Self.group || index % Self.group == 0 { chunks[index].deallocate() }
    }

    /// Where the next record will be.
    var nextIndex: Index { firstFree.wrappedValue ?? Index(number: capacity) }

    /// Puts a record at a free place. O(1).
    @inline(__always)
    mutating func insert(_ record: Record) -> Index {
        count &+= 1
        let index = firstFree.wrappedValue ?? extend()
        let place = place(of: index)
        firstFree = UnsafeRawPointer(place).load(as: Packed<Index>.self)
        place.initialize(to: record)
        #if DEBUG
            isUsed[index.number] = true
        #endif
        return index
    }

    /// Makes a place that was never used, as the last of those that are free.
    @inline(never)
    private mutating func extend() -> Index {
        precondition(capacity < Int32.max, "2^31 records of one kind")
        let index = Index(number: capacity)
        if capacity >> Self.shift == chunks.count { addChunks() }
        capacity += 1
        UnsafeMutableRawPointer(place(of: index)).storeBytes(of: Packed(), as: Packed<Index>.self)
        #if DEBUG
            isUsed.append(false)
        #endif
        return index
    }

    /// Frees a place. O(1).
    @inline(__always)
    mutating func remove(_ index: Index) {
        check(index)
        #if DEBUG
            isUsed[index.number] = false
        #endif
        count &-= 1
        UnsafeMutableRawPointer(place(of: index)).storeBytes(of: firstFree, as: Packed<Index>.self)
        firstFree.wrappedValue = index
    }

    /// The record at an index, changed where it stands.
    subscript(index: Index) -> Record {
        @inline(__always) unsafeAddress {
            check(index)
            return UnsafePointer(place(of: index))
        }
        @inline(__always) unsafeMutableAddress {
            check(index)
            return place(of: index)
        }
    }

    /// Where the record at an index stands, for a table that hands it on.
    @inline(__always)
    func address(of index: Index) -> UnsafePointer<Record> {
        check(index)
        return UnsafePointer(place(of: index))
    }

    @inline(__always)
    func mutableAddress(of index: Index) -> UnsafeMutablePointer<Record> {
        check(index)
        return place(of: index)
    }

    /// All indices of a slab of which no record was ever removed.
    var indicesOfAll: [Index] {
        precondition(count == capacity, "a slab of which records were removed")
        return (0..<capacity).map(Index.init(number:))
    }

    /// Traps in debug builds if there is no record at an index.
    @inline(__always)
    private func check(_ index: Index) {
        #if DEBUG
            precondition(index.number < capacity && isUsed[index.number], "an index at which there is no record")
        #endif
    }

    @inline(__always)
    fileprivate func place(of index: Index) -> UnsafeMutablePointer<Record> {
        chunks[index.number >> Self.shift] + (index.number & Self.mask)
    }

    private mutating func addChunks() {
        let number = chunks.count < Self.group ? 1 : Self.group
        let memory: UnsafeMutablePointer<Record> = LargePages.allocate(number << Self.shift)
        for chunk in 0..<number { chunks.append(memory + (chunk << Self.shift)) }
    }
}

/// A record that says itself whether it is there, so that its slab can be gone through, and can be asked by those that
/// may come too late.
protocol MarkedRecord: BitwiseCopyable {
    /// Not among the first four bytes of the record, which are not its own any more when it was freed.
    var isInUse: Bool { get set }
}

extension Slab where Record: MarkedRecord {
    /// Marks a record as gone and frees its place. O(1).
    @inline(__always)
    mutating func retire(_ index: Index) {
        self[index].isInUse = false
        remove(index)
    }

    /// Whether there is a record at an index, which may have been freed since.
    @inline(__always)
    func contains(_ index: Index) -> Bool { place(of: index).pointee.isInUse }

    /// The index of a place, if there is a record.
    @inline(__always)
    func index(at number: Int) -> Index? {
        guard number >= 0, number < capacity else { return nil }
        let index = Index(number: number)
        return contains(index) ? index : nil
    }

    /// All indices in their order. O(n).
    var indices: some Sequence<Index> {
        indicesInUse()
    }

    private func indicesInUse() -> [Index] { (0..<capacity).compactMap { index(at: $0) } }
}
