private import SystemCalls

/// The slots of a `NameTable`: open addressing with linear probing. A removal closes the gap that it leaves (Knuth,
/// TAOCP 6.4, algorithm R), so that there are no tombstones.
///
/// A hash is scaled to the number of slots, which need not be a power of two. A free slot is all zero bits. So a large
/// table can begin as memory that the system zeroes page by page on first access.
struct NameSlots<Entry: FourByteValue>: ~Copyable {
    struct Slot: BitwiseCopyable {
        var hash: UInt32
        /// One more than the bits of the entry; 0 if the slot is free.
        private var entryBits: UInt32

        @inline(__always)
        init(hash: UInt32, entry: Entry) {
            self.hash = hash
            entryBits = entry.bits &+ 1
        }

        private init() { (hash, entryBits) = (0, 0) }

        static var free: Slot { Slot() }

        @inline(__always)
        var isFree: Bool { entryBits == 0 }

        /// The entry; unspecified if the slot is free.
        @inline(__always)
        var entry: Entry { Entry(bits: entryBits &- 1) }

        @inline(__always)
        func holds(_ entry: Entry) -> Bool { entryBits == entry.bits &+ 1 }
    }

    private let base: UnsafeMutablePointer<Slot>
    let count: Int

    /// Creates free slots.
    init(count: Int) {
        self.count = count
        base = Self.allocate(count)
    }

    deinit {
        Self.deallocate(base, count)
    }

    subscript(position: Int) -> Slot {
        @inline(__always) get {
            assert(position >= 0 && position < count, "a position outside of its table")
            return base[position]
        }
        @inline(__always) nonmutating set {
            assert(position >= 0 && position < count, "a position outside of its table")
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

    /// Returns the position of the free slot at which the search for a hash ends; `nil` if it finds an entry for which
    /// `matches` is true.
    @inline(__always)
    func vacancy(_ hash: UInt32, matches: (Entry) -> Bool) -> Int? {
        var position = home(of: hash)
        while !self[position].isFree {
            let slot = self[position]
            if slot.hash == hash, matches(slot.entry) { return nil }
            position = after(position)
        }
        return position
    }

    /// Returns the position of an entry, if it is in the table.
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
            // An entry whose search begins at or before the hole may move into it. Positions wrap around at the end of
            // the table.
            let home = home(of: self[next].hash)
            if next > hole ? home <= hole || home > next : home <= hole && home > next {
                self[hole] = self[next]
                hole = next
            }
            next = after(next)
        }
        self[hole] = .free
    }

    /// Returns the position at which the search for a hash begins.
    @inline(__always)
    private func home(of hash: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: count)) >> 32)
    }

    @inline(__always)
    func after(_ position: Int) -> Int { position &+ 1 == count ? 0 : position &+ 1 }

    // MARK: - Memory

    /// The size in bytes from which memory is requested from the system directly.
    private static var large: Int { 4 << 20 }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
        #if os(Linux)
            let bytes = count * MemoryLayout<Slot>.stride
            if bytes >= large,
                let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                memory != MAP_FAILED
            {
                // This is a hint: if it has no effect, the pages are small.
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
