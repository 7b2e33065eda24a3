private import SystemCalls

/// The places of a `NameTable`: open addressing with linear probing. A removal closes the gap behind it (Knuth, TAOCP
/// 6.4, algorithm R), so that there are no tombstones.
///
/// A hash is scaled to the number of places, which need be no power of two. A free place is all zero bits, so that a large
/// table can begin as memory that the system hands out empty, page by page, when it is first touched.
struct NameSlots<Entry: FourByteValue>: ~Copyable {
    struct Slot: BitwiseCopyable {
        var hash: UInt32
        /// One more than the entry; 0: free.
        private var place: UInt32

        @inline(__always)
        init(hash: UInt32, entry: Entry) {
            self.hash = hash
            place = entry.bits &+ 1
        }

        private init() { (hash, place) = (0, 0) }

        static var free: Slot { Slot() }

        @inline(__always)
        var isFree: Bool { place == 0 }

        /// Of no meaning where it is free.
        @inline(__always)
        var entry: Entry { Entry(bits: place &- 1) }

        @inline(__always)
        func holds(_ entry: Entry) -> Bool { place == entry.bits &+ 1 }
    }

    private let base: UnsafeMutablePointer<Slot>
    let count: Int

    /// So many free places.
    init(count: Int) {
        self.count = count
        base = Self.allocate(count)
    }

    deinit {
        Self.deallocate(base, count)
    }

    subscript(position: Int) -> Slot {
        @inline(__always) get {
            assert(position >= 0 && position < count, "a place outside of its table")
            return base[position]
        }
        @inline(__always) nonmutating set {
            assert(position >= 0 && position < count, "a place outside of its table")
            base[position] = newValue
        }
    }

    @inline(__always)
    func find(_ hash: UInt32, matches: (Entry) -> Bool) -> Entry? {
        var position = home(of: hash)
        while !self[position].isFree {
            let slot = self[position]
            if slot.hash == hash, matches(slot.entry) { return slot.entry }
            position = after(position)
        }
        return nil
    }

    /// Where an entry stands, if it does.
    func position(of entry: Entry, hash: UInt32) -> Int? {
        var position = home(of: hash)
        while !self[position].holds(entry) {
            guard !self[position].isFree else { return nil }
            position = after(position)
        }
        return position
    }

    func place(_ slot: Slot) {
        var position = home(of: slot.hash)
        while !self[position].isFree { position = after(position) }
        self[position] = slot
    }

    func remove(at position: Int) {
        var hole = position
        var next = after(hole)
        while !self[next].isFree {
            // What begins its search at the hole or before may move into it; behind the end of the table it begins anew.
            let home = home(of: self[next].hash)
            if next > hole ? home <= hole || home > next : home <= hole && home > next {
                self[hole] = self[next]
                hole = next
            }
            next = after(next)
        }
        self[hole] = .free
    }

    /// Where a hash's search begins.
    @inline(__always)
    private func home(of hash: UInt32) -> Int { Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(count)) >> 32) }

    @inline(__always)
    func after(_ position: Int) -> Int { position &+ 1 == count ? 0 : position &+ 1 }

    // MARK: - Memory

    /// In bytes: from so many on the system is asked for them.
    private static var large: Int { 4 << 20 }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
        #if os(Linux)
            let bytes = count * MemoryLayout<Slot>.stride
            if bytes >= large,
                let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                memory != MAP_FAILED
            {
                // A wish: where it isn't granted the pages are small ones.
                _ = madvise(memory, bytes, MADV_HUGEPAGE)
                return memory.bindMemory(to: Slot.self, capacity: count)
            }
            precondition(bytes < large, "no memory for a table of \(count) names")
        #endif
        let memory = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        memory.initialize(repeating: .free, count: count)
        return memory
    }

    private static func deallocate(_ memory: UnsafeMutablePointer<Slot>, _ count: Int) {
        #if os(Linux)
            let bytes = count * MemoryLayout<Slot>.stride
            if bytes >= large {
                munmap(memory, bytes)
                return
            }
        #endif
        memory.deallocate()
    }
}
