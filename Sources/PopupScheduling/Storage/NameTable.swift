/// Finds the index that belongs to a text, given the text's hash and a way to compare: the texts themselves stay where
/// they are.
///
/// Open addressing with linear probing, at most 4/5 full; a removal closes the gap behind it (Knuth, TAOCP 6.4,
/// algorithm R), so that there are no tombstones. Its order is never looked at.
///
/// A hash is scaled to the table's size, which need be no power of two: a large table grows by a quarter, and of a
/// million names each takes 10 to 12.5 bytes. Since higher hashes stand farther behind, growing goes through both tables
/// from front to back.
struct NameTable: ~Copyable {
    struct Slot: BitwiseCopyable {
        var hash: UInt32
        /// Negative: free.
        var index: Int32

        static let free = Slot(hash: 0, index: -1)
    }

    private var slots: Buffer<Slot>
    private(set) var count = 0

    /// An empty table that doesn't grow before it has `capacity` entries.
    init(capacity: Int = 0) {
        slots = Buffer(repeating: .free, count: max(16, capacity * 5 / 4 + 1))
    }

    /// The index with this hash for which `matches` holds. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (Int32) -> Bool) -> Int32? {
        var position = home(of: hash)
        while slots[position].index >= 0 {
            let slot = slots[position]
            if slot.hash == hash, matches(slot.index) { return slot.index }
            position = after(position)
        }
        return nil
    }

    /// Adds an index. The caller knows that its text is not there yet.
    mutating func insert(_ index: Int32, hash: UInt32) {
        if (count + 1) * 5 > slots.count * 4 { grow() }
        place(Slot(hash: hash, index: index))
        count += 1
    }

    /// Lets the text of `old` stand for `new`.
    mutating func replace(_ old: Int32, with new: Int32, hash: UInt32) {
        slots[position(of: old, hash: hash)].index = new
    }

    /// Takes out an index that is there.
    mutating func remove(_ index: Int32, hash: UInt32) {
        var hole = position(of: index, hash: hash)
        var next = after(hole)
        while slots[next].index >= 0 {
            // What probes past the hole may move into it.
            if distance(from: home(of: slots[next].hash), to: next) >= distance(from: hole, to: next) {
                slots[hole] = slots[next]
                hole = next
            }
            next = after(next)
        }
        slots[hole].index = -1
        count -= 1
    }

    /// Where a hash's search begins.
    @inline(__always)
    private func home(of hash: UInt32) -> Int { Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(slots.count)) >> 32) }

    @inline(__always)
    private func after(_ position: Int) -> Int { position + 1 == slots.count ? 0 : position + 1 }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + slots.count
    }

    private func position(of index: Int32, hash: UInt32) -> Int {
        var position = home(of: hash)
        while slots[position].index != index {
            precondition(slots[position].index >= 0, "an index that is not in the table")
            position = after(position)
        }
        return position
    }

    private mutating func place(_ slot: Slot) {
        var position = home(of: slot.hash)
        while slots[position].index >= 0 { position = after(position) }
        slots[position] = slot
    }

    private mutating func grow() {
        let larger = slots.count < 1 << 14 ? slots.count * 2 : slots.count / 4 * 5
        var old = Buffer(repeating: Slot.free, count: larger)
        swap(&old, &slots)
        for position in 0..<old.count where old[position].index >= 0 { place(old[position]) }
    }
}
