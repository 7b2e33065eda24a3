/// Records of one kind. Each has an index until it is removed.
///
/// Records are stored in chunks that never move, so growing allocates one chunk and copies nothing. Free positions are
/// reused first, the one freed last before others. They are linked through their first four bytes; their other bytes
/// stay unchanged.
///
/// In debug builds an index without a record traps: one that is removed twice, or used after its removal.
struct Slab<Record: BitwiseCopyable>: ~Copyable {
    typealias Index = TableIndex<Record>

    private static var shift: Int { 10 }
    private static var mask: Int { 1 << shift - 1 }
    /// The number of chunks from which chunks are allocated in groups of this size, so that they may use large pages.
    private static var group: Int { 32 }

    private var chunks = Buffer<UnsafeMutablePointer<Record>>()
    private var firstFree = Packed<Index>()
    #if DEBUG
        private var isUsed: [Bool] = []
        private let meter = VisitMeter()
        /// The number of times that records were accessed, for tests that count work.
        var accesses: Int { meter.count }
    #endif

    /// The number of positions, used and free.
    private(set) var capacity = 0

    /// The number of records.
    private(set) var count = 0

    init() {
        assert(MemoryLayout<Record>.size >= MemoryLayout<UInt32>.size, "a free record has no room for its link")
    }

    deinit {
        for index in 0..<chunks.count where index < Self.group || index % Self.group == 0 { chunks[index].deallocate() }
    }

    /// The index of the next record that is added.
    var nextIndex: Index { firstFree.wrappedValue ?? Index(number: capacity) }

    /// Adds a record at a free position. O(1).
    @inline(__always)
    mutating func insert(_ record: Record) -> Index {
        count &+= 1
        let index = firstFree.wrappedValue ?? extend()
        let location = location(of: index)
        firstFree = UnsafeRawPointer(location).load(as: Packed<Index>.self)
        location.initialize(to: record)
        #if DEBUG
            isUsed[index.number] = true
        #endif
        return index
    }

    /// Adds a position that was never used, and returns it as a free one.
    @inline(never)
    private mutating func extend() -> Index {
        precondition(capacity < Int32.max, "2^31 records of one kind")
        let index = Index(number: capacity)
        if capacity >> Self.shift == chunks.count { addChunks() }
        capacity += 1
        UnsafeMutableRawPointer(location(of: index)).storeBytes(of: Packed(), as: Packed<Index>.self)
        #if DEBUG
            isUsed.append(false)
        #endif
        return index
    }

    /// Removes a record. O(1).
    @inline(__always)
    mutating func remove(_ index: Index) {
        check(index)
        #if DEBUG
            isUsed[index.number] = false
        #endif
        count &-= 1
        UnsafeMutableRawPointer(location(of: index)).storeBytes(of: firstFree, as: Packed<Index>.self)
        firstFree.wrappedValue = index
    }

    /// The record at an index, changed in place.
    subscript(index: Index) -> Record {
        @inline(__always) unsafeAddress {
            check(index)
            return UnsafePointer(location(of: index))
        }
        @inline(__always) unsafeMutableAddress {
            check(index)
            return location(of: index)
        }
    }

    /// Returns the address of the record at an index.
    @inline(__always)
    func address(of index: Index) -> UnsafePointer<Record> {
        check(index)
        return UnsafePointer(location(of: index))
    }

    @inline(__always)
    func mutableAddress(of index: Index) -> UnsafeMutablePointer<Record> {
        check(index)
        return location(of: index)
    }

    /// All indices of a slab from which no record was ever removed.
    var indicesOfAll: [Index] {
        precondition(count == capacity, "a slab of which records were removed")
        return (0..<capacity).map(Index.init(number:))
    }

    /// Traps in debug builds if there is no record at an index.
    @inline(__always)
    private func check(_ index: Index) {
        #if DEBUG
            precondition(index.number < capacity && isUsed[index.number], "an index at which there is no record")
            meter.count += 1
        #endif
    }

    @inline(__always)
    fileprivate func location(of index: Index) -> UnsafeMutablePointer<Record> {
        chunks[index.number >> Self.shift] + (index.number & Self.mask)
    }

    private mutating func addChunks() {
        let number = chunks.count < Self.group ? 1 : Self.group
        let memory: UnsafeMutablePointer<Record> = LargePages.allocate(number << Self.shift)
        for chunk in 0..<number { chunks.append(memory + (chunk << Self.shift)) }
    }
}

/// A record that contains whether it is in use, so that the records of a slab can be enumerated, and an index can be
/// checked after the record may have been removed.
protocol MarkedRecord: BitwiseCopyable {
    /// Whether the record is in use. It must not be in the first four bytes, which link free positions.
    var isInUse: Bool { get set }
}

extension Slab where Record: MarkedRecord {
    /// Marks a record as unused and removes it. O(1).
    @inline(__always)
    mutating func retire(_ index: Index) {
        self[index].isInUse = false
        remove(index)
    }

    /// Whether the record at an index still exists.
    @inline(__always)
    func contains(_ index: Index) -> Bool { location(of: index).pointee.isInUse }

    /// Returns the index of a position, if there is a record.
    @inline(__always)
    func index(at number: Int) -> Index? {
        guard number >= 0, number < capacity else { return nil }
        let index = Index(number: number)
        return contains(index) ? index : nil
    }

    /// All indices in ascending order. O(n).
    var indices: some Sequence<Index> {
        indicesInUse()
    }

    private func indicesInUse() -> [Index] { (0..<capacity).compactMap { index(at: $0) } }
}
