/// Finds the entry that belongs to a text, given the text's hash and a way to compare: the texts themselves stay where
/// they are.
///
/// At most 4/5 full; a large table grows by a quarter, and of a million names each takes 10 to 12.5 bytes. Its order is
/// never looked at.
///
/// It grows in small steps, for moving a million entries at once would hold up everybody: the larger table takes what comes,
/// each insertion moves some of the former one, and until all have moved both are looked into. What is moved at a time
/// are whole runs of places in use, so that what is left can still be found.
struct NameTable<Entry: FourByteValue>: ~Copyable {
    /// Places of the former table that an insertion empties at least. Moving ends long before the next growth.
    private static var movedAtOnce: Int { 32 }

    private var slots: NameSlots<Entry>
    private var former = NameSlots<Entry>(count: 1)
    /// How many places of the former table were not gone through yet, and the next of them.
    private var left = 0
    private var next = 0
    private(set) var count = 0

    /// An empty table that doesn't grow before it has `capacity` entries.
    init(capacity: Int = 0) {
        slots = NameSlots(count: max(16, capacity * 5 / 4 + 1))
    }

    /// The entry with this hash for which `matches` holds. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (Entry) -> Bool) -> Entry? {
        if let entry = slots.find(hash, matches: matches) { return entry }
        return left == 0 ? nil : former.find(hash, matches: matches)
    }

    /// Adds an entry. The caller knows that its text is not there yet.
    mutating func insert(_ entry: Entry, hash: UInt32) {
        if left > 0 { move() }
        if (count + 1) * 5 > slots.count * 4 { grow() }
        slots.place(NameSlots<Entry>.Slot(hash: hash, entry: entry))
        count += 1
    }

    /// Lets the text of `old` stand for `new`.
    mutating func replace(_ old: Entry, with new: Entry, hash: UInt32) {
        let slot = NameSlots<Entry>.Slot(hash: hash, entry: new)
        if let position = slots.position(of: old, hash: hash) {
            slots[position] = slot
        } else {
            former[positionInFormer(of: old, hash: hash)] = slot
        }
    }

    /// Takes out an entry that is there.
    mutating func remove(_ entry: Entry, hash: UInt32) {
        if let position = slots.position(of: entry, hash: hash) {
            slots.remove(at: position)
        } else {
            former.remove(at: positionInFormer(of: entry, hash: hash))
        }
        count -= 1
    }

    private func positionInFormer(of entry: Entry, hash: UInt32) -> Int {
        guard left > 0, let position = former.position(of: entry, hash: hash) else {
            preconditionFailure("an entry that is not in the table")
        }
        return position
    }

    private mutating func grow() {
        while left > 0 { move() }
        var larger = NameSlots<Entry>(count: slots.count < 1 << 14 ? slots.count * 2 : slots.count / 4 * 5)
        swap(&larger, &slots)
        former = larger
        left = former.count
        next = 0
        // Runs are moved whole: the first begins behind a free place.
        while !former[next].isFree { next = former.after(next) }
        move()
    }

    /// Moves entries of the former table.
    private mutating func move() {
        var moved = 0
        while left > 0, moved < Self.movedAtOnce || !former[next].isFree {
            let slot = former[next]
            if !slot.isFree {
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
