/// Finds the index that belongs to a text, given the text's hash and a way to compare: the texts themselves stay where
/// they are.
///
/// At most 4/5 full; a large table grows by a quarter, and of a million names each takes 10 to 12.5 bytes. Its order is
/// never looked at.
///
/// It grows in small steps, for moving a million entries at once would hold up everybody: the larger table takes what comes,
/// each insertion moves some of the former one, and until all have moved both are looked into. What is moved at a time
/// are whole runs of places in use, so that what is left can still be found.
struct NameTable: ~Copyable {
    /// Places of the former table that an insertion empties at least. Moving ends long before the next growth.
    private static let movedAtOnce = 32

    private var slots: NameSlots
    private var former = NameSlots(count: 1)
    /// How many places of the former table were not gone through yet, and the next of them.
    private var left = 0
    private var next = 0
    private(set) var count = 0

    /// An empty table that doesn't grow before it has `capacity` entries.
    init(capacity: Int = 0) {
        slots = NameSlots(count: max(16, capacity * 5 / 4 + 1))
    }

    /// The index with this hash for which `matches` holds. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (Int32) -> Bool) -> Int32? {
        if let index = slots.find(hash, matches: matches) { return index }
        return left == 0 ? nil : former.find(hash, matches: matches)
    }

    /// Adds an index. The caller knows that its text is not there yet.
    mutating func insert(_ index: Int32, hash: UInt32) {
        if left > 0 { move() }
        if (count + 1) * 5 > slots.count * 4 { grow() }
        slots.place(NameSlots.Slot(hash: hash, index: index))
        count += 1
    }

    /// Lets the text of `old` stand for `new`.
    mutating func replace(_ old: Int32, with new: Int32, hash: UInt32) {
        let slot = NameSlots.Slot(hash: hash, index: new)
        if let position = slots.position(of: old, hash: hash) {
            slots[position] = slot
        } else {
            former[positionInFormer(of: old, hash: hash)] = slot
        }
    }

    /// Takes out an index that is there.
    mutating func remove(_ index: Int32, hash: UInt32) {
        if let position = slots.position(of: index, hash: hash) {
            slots.remove(at: position)
        } else {
            former.remove(at: positionInFormer(of: index, hash: hash))
        }
        count -= 1
    }

    private func positionInFormer(of index: Int32, hash: UInt32) -> Int {
        guard left > 0, let position = former.position(of: index, hash: hash) else {
            preconditionFailure("an index that is not in the table")
        }
        return position
    }

    private mutating func grow() {
        while left > 0 { move() }
        var larger = NameSlots(count: slots.count < 1 << 14 ? slots.count * 2 : slots.count / 4 * 5)
        swap(&larger, &slots)
        former = larger
        left = former.count
        next = 0
        // Runs are moved whole: the first begins behind a free place.
        while former[next].index >= 0 { next = former.after(next) }
        move()
    }

    /// Moves entries of the former table.
    private mutating func move() {
        var moved = 0
        while left > 0, moved < Self.movedAtOnce || former[next].index >= 0 {
            let slot = former[next]
            if slot.index >= 0 {
                slots.place(slot)
                former[next] = .free
            }
            next = former.after(next)
            left -= 1
            moved += 1
        }
        if left == 0 { former = NameSlots(count: 1) }
    }
}
