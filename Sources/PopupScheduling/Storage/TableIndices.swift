/// The indices of a table whose records own memory, so that they are in arrays and not in a `Slab`: those in use, and
/// the free ones, of which the one freed last is used again first.
///
/// As in a `Slab`, an index without a record traps in debug builds: one that is removed twice, or used after its
/// removal.
struct TableIndices<Record> {
    typealias Index = TableIndex<Record>

    /// The free indices below `capacity`; the last one is used next.
    private(set) var free: [Index] = []
    /// The number of indices, used and free.
    private(set) var capacity = 0
    #if DEBUG
        private var isUsed: [Bool] = []
    #endif

    init() {}

    /// The number of indices in use.
    var count: Int { capacity - free.count }

    /// Takes an index into use: the one freed last, or else the one behind all others. O(1).
    mutating func insert() -> Index {
        let index = free.popLast() ?? extend()
        #if DEBUG
            isUsed[index.number] = true
        #endif
        return index
    }

    private mutating func extend() -> Index {
        precondition(capacity < Int32.max, "2^31 records of one kind")
        capacity += 1
        #if DEBUG
            isUsed.append(false)
        #endif
        return Index(number: capacity - 1)
    }

    /// Frees an index. O(1).
    mutating func remove(_ index: Index) {
        check(index)
        #if DEBUG
            isUsed[index.number] = false
        #endif
        free.append(index)
    }

    /// Traps in debug builds if an index is not in use.
    @inline(__always)
    func check(_ index: Index) {
        #if DEBUG
            precondition(index.number < capacity && isUsed[index.number], "an index at which there is no record")
        #endif
    }
}
