/// Records of one kind, each at an index that is its own until it is freed.
///
/// Chunks never move, so growing costs one chunk, not a copy of all; a freed place is taken again before a new one.
struct Slab<Record: BitwiseCopyable>: ~Copyable {
    private static var shift: Int { 10 }
    private static var mask: Int { 1 << shift - 1 }

    private var chunks = Buffer<UnsafeMutablePointer<Record>>()
    private var free = Buffer<Int32>()

    /// All indices in use are below it.
    private(set) var capacity: Int32 = 0

    init() {}

    deinit {
        for index in 0..<chunks.count { chunks[index].deallocate() }
    }

    /// How many records there are.
    var count: Int { Int(capacity) - free.count }

    /// Puts a record at a free place. O(1).
    mutating func insert(_ record: Record) -> Int32 {
        if !free.isEmpty {
            let index = free.removeLast()
            self[index] = record
            return index
        }
        let index = capacity
        precondition(index < Int32.max, "2^31 records of one kind")
        if Int(index) >> Self.shift == chunks.count {
            chunks.append(.allocate(capacity: 1 << Self.shift))
        }
        capacity += 1
        (chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask)).initialize(to: record)
        return index
    }

    /// Frees a place. O(1).
    mutating func remove(_ index: Int32) {
        free.append(index)
    }

    /// The record at a place in use, changed where it stands.
    subscript(index: Int32) -> Record {
        @inline(__always) unsafeAddress {
            assert(index >= 0 && index < capacity, "an index outside of its table")
            return UnsafePointer(chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask))
        }
        @inline(__always) unsafeMutableAddress {
            assert(index >= 0 && index < capacity, "an index outside of its table")
            return chunks[Int(index) >> Self.shift] + (Int(index) & Self.mask)
        }
    }
}

/// "No record": the end of a chain of indices.
let nobody: Int32 = -1
