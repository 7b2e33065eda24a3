/// Finds the index that belongs to a text, given the text's hash and a way to compare: the texts themselves stay where
/// they are.
///
/// Open addressing with linear probing, at most 7/8 full; a removal closes the gap behind it (Knuth, TAOCP 6.4,
/// algorithm R), so that there are no tombstones. Its order is never looked at.
struct NameTable: ~Copyable {
    struct Slot: BitwiseCopyable {
        var hash: UInt32
        /// Negative: free.
        var index: Int32
    }

    private var slots: Buffer<Slot>
    private var mask: Int
    private(set) var count = 0

    /// An empty table that doesn't grow before it has `capacity` entries.
    init(capacity: Int = 0) {
        var size = 16
        while capacity * 8 > size * 7 { size *= 2 }
        slots = Buffer(repeating: Slot(hash: 0, index: -1), count: size)
        mask = size - 1
    }

    /// The index with this hash for which `matches` holds. O(1) expected.
    func find(_ hash: UInt32, matches: (Int32) -> Bool) -> Int32? {
        var position = Int(hash) & mask
        while slots[position].index >= 0 {
            let slot = slots[position]
            if slot.hash == hash, matches(slot.index) { return slot.index }
            position = (position + 1) & mask
        }
        return nil
    }

    /// Adds an index. The caller knows that its text is not there yet.
    mutating func insert(_ index: Int32, hash: UInt32) {
        if (count + 1) * 8 > slots.count * 7 { grow() }
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
        var next = (hole + 1) & mask
        while slots[next].index >= 0 {
            let home = Int(slots[next].hash) & mask
            // What probes past the hole may move into it.
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole].index = -1
        count -= 1
    }

    private func position(of index: Int32, hash: UInt32) -> Int {
        var position = Int(hash) & mask
        while slots[position].index != index {
            precondition(slots[position].index >= 0, "an index that is not in the table")
            position = (position + 1) & mask
        }
        return position
    }

    private mutating func place(_ slot: Slot) {
        var position = Int(slot.hash) & mask
        while slots[position].index >= 0 { position = (position + 1) & mask }
        slots[position] = slot
    }

    private mutating func grow() {
        var old = Buffer(repeating: Slot(hash: 0, index: -1), count: slots.count * 2)
        swap(&old, &slots)
        mask = slots.count - 1
        for position in 0..<old.count where old[position].index >= 0 { place(old[position]) }
    }
}
