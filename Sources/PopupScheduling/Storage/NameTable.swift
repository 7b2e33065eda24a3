/// A hash table that finds the entry of a text by the text's hash and a comparison. The texts are stored elsewhere.
///
/// It is at most 4/5 full. A large table grows by a quarter, so that each of a million names takes 10 to 12.5 bytes. No
/// result depends on the order of its entries.
///
/// It grows in small steps, since moving a million entries at once would delay all clients. Before it is full, the
/// larger table is allocated and each insertion touches some of its memory: the system zeroes a page when it is first
/// touched, and the first entries, which are spread by their hashes, would touch nearly all pages at once. Then new
/// entries go to the larger table, each insertion moves some entries of the former table, and until all are moved
/// look-ups search both. Whole runs of used slots are moved at a time, so that the remaining entries can still be
/// found.
struct NameTable<Entry: FourByteValue>: ~Copyable {
    /// The minimum number of slots of the former table that an insertion empties. So all entries are moved long before
    /// the table grows again.
    private static var movedAtOnce: Int { 32 }
    /// The distance of the slots of the larger table that insertions touch, one each: less than a page. A table of n
    /// slots becomes full n/20 insertions after the first of them, and the larger one has at most 2 n slots.
    private static var touchDistance: Int { 64 }

    private var slots: NameSlots<Entry>
    /// The number of entries from which an insertion prepares the larger table, or makes it take the place of this one.
    private var preparedFrom: Int
    /// The larger table; `nil` until 3/4 of the slots are used.
    private var larger: NameSlots<Entry>?
    /// The next slot of the larger table that is touched.
    private var untouched = 0
    private var former = NameSlots<Entry>(count: 1)
    /// The number of slots of the former table that remain to be emptied, and the next of them.
    private var left = 0
    private var next = 0
    private(set) var count = 0
    /// The number of changes of the slots.
    private var changes: UInt64 = 0

    /// The slot for a name that is not in the table.
    struct Vacancy: BitwiseCopyable {
        fileprivate let position: Int
        /// The number of changes at which it is the slot.
        fileprivate let changes: UInt64
    }

    /// Creates an empty table with space for `capacity` entries.
    init(capacity: Int = 0) {
        slots = NameSlots(count: max(16, capacity * 5 / 4 + 1))
        preparedFrom = slots.count * 3 / 4
    }

    /// Returns the entry with this hash for which `matches` is true. O(1) expected.
    @inline(__always)
    func find(_ hash: UInt32, matches: (Entry) -> Bool) -> Entry? {
        if let entry = slots.find(hash, matches: matches) { return entry }
        return left == 0 ? nil : former.find(hash, matches: matches)
    }

    /// Returns the slot for a new name with this hash; `nil` if the table has an entry for which `matches` is true.
    /// O(1) expected.
    @inline(__always)
    func vacancy(_ hash: UInt32, matches: (Entry) -> Bool) -> Vacancy? {
        guard let position = slots.vacancy(hash, matches: matches) else { return nil }
        guard left == 0 || former.find(hash, matches: matches) == nil else { return nil }
        return Vacancy(position: position, changes: changes)
    }

    /// Adds an entry at its slot. If the slots have changed since, or have to be moved, the slot is searched again.
    @inline(__always)
    mutating func insert(_ entry: Entry, hash: UInt32, at vacancy: Vacancy) {
        guard left == 0, count < preparedFrom, changes == vacancy.changes else { return insert(entry, hash: hash) }
        slots[vacancy.position] = NameSlots<Entry>.Slot(hash: hash, entry: entry)
        changes &+= 1
        count += 1
    }

    /// Adds an entry. Its text must not be in the table.
    mutating func insert(_ entry: Entry, hash: UInt32) {
        changes &+= 1
        if left > 0 { move() }
        if count >= preparedFrom { prepare() }
        slots.place(NameSlots<Entry>.Slot(hash: hash, entry: entry))
        count += 1
    }

    /// Replaces an entry by another one with the same text.
    mutating func replace(_ old: Entry, with new: Entry, hash: UInt32) {
        let slot = NameSlots<Entry>.Slot(hash: hash, entry: new)
        if let position = slots.position(of: old, hash: hash) {
            slots[position] = slot
        } else {
            former[positionInFormer(of: old, hash: hash)] = slot
        }
    }

    /// Removes an entry, which must be in the table.
    mutating func remove(_ entry: Entry, hash: UInt32) {
        changes &+= 1
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

    /// Touches one slot of the larger table. When this table is full, the larger one takes its place.
    @inline(never)
    private mutating func prepare() {
        let larger =
            larger.take() ?? NameSlots<Entry>(count: slots.count < 1 << 14 ? slots.count * 2 : slots.count / 4 * 5)
        if untouched < larger.count {
            larger[untouched] = .free
            untouched += Self.touchDistance
        }
        let most = slots.count * 4 / 5
        guard count < most else { return grow(to: larger) }
        if untouched >= larger.count { preparedFrom = most }
        self.larger = consume larger
    }

    private mutating func grow(to larger: consuming NameSlots<Entry>) {
        while left > 0 { move() }
        untouched = 0
        swap(&larger, &slots)
        preparedFrom = slots.count * 3 / 4
        former = larger
        left = former.count
        next = 0
        // Runs are moved as a whole: the first one begins after a free slot.
        while !former[next].isFree { next = former.after(next) }
        move()
    }

    /// Moves some entries of the former table.
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
