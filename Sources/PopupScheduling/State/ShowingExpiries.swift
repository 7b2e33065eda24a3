/// The groups whose caps remember showings, in a heap by the time at which the first of these showings leaves its
/// window.
///
/// Groups with the same time are in byte order of their names: so the order follows from the groups alone, also after a
/// restart.
struct ShowingExpiries {
    private struct Entry {
        var due: Milliseconds
        var name: ByteReference
        let group: GroupRecord.Index
    }

    /// A binary heap: no group goes before its parent.
    private var heap: [Entry] = []
    /// The position of each group in the heap, if it is there, by the number of the group.
    private var ranks: [Packed<TableIndex<Entry>>] = []
    /// The time at which the first showing of all leaves its window; the last possible time if there is none.
    private(set) var next = Milliseconds.max

    init() {}

    /// The number of groups.
    var count: Int { heap.count }
    /// The group whose showing leaves its window first.
    var first: GroupRecord.Index? { heap.first?.group }

    /// Sets the time at which the first showing of a group leaves its window; `nil` if the group has none.
    mutating func set(
        _ due: Milliseconds?, of group: GroupRecord.Index, named name: ByteReference, in store: borrowing ByteStore
    ) {
        let former = rank(of: group)
        guard let due else {
            if let former { remove(at: former, store) }
            return
        }
        if let former {
            guard heap[former].due != due else { return }
            heap[former].due = due
            settle(former, store)
        } else {
            let missing = group.number + 1 - ranks.count
            if missing > 0 { ranks.append(contentsOf: repeatElement(Packed(), count: missing)) }
            heap.append(Entry(due: due, name: name, group: group))
            settle(heap.count - 1, store)
        }
        next = heap[0].due
    }

    /// Replaces the reference to the name of a group, if the group is in the heap: its text has moved.
    mutating func rename(_ group: GroupRecord.Index, to name: ByteReference) {
        if let rank = rank(of: group) { heap[rank].name = name }
    }

    private func rank(of group: GroupRecord.Index) -> Int? {
        group.number < ranks.count ? ranks[group.number].wrappedValue?.number : nil
    }

    private mutating func remove(at rank: Int, _ store: borrowing ByteStore) {
        ranks[heap[rank].group.number] = Packed()
        let last = heap.removeLast()
        if rank < heap.count {
            put(last, at: rank)
            settle(rank, store)
        }
        next = heap.first?.due ?? .max
    }

    /// Moves the entry of a position to where it belongs.
    private mutating func settle(_ start: Int, _ store: borrowing ByteStore) {
        let entry = heap[start]
        var rank = start
        while rank > 0, goesBefore(entry, heap[(rank - 1) / 2], store) {
            put(heap[(rank - 1) / 2], at: rank)
            rank = (rank - 1) / 2
        }
        while 2 * rank + 1 < heap.count {
            var below = 2 * rank + 1
            if below + 1 < heap.count, goesBefore(heap[below + 1], heap[below], store) { below += 1 }
            guard goesBefore(heap[below], entry, store) else { break }
            put(heap[below], at: rank)
            rank = below
        }
        put(entry, at: rank)
    }

    private mutating func put(_ entry: Entry, at rank: Int) {
        heap[rank] = entry
        ranks[entry.group.number] = Packed(wrappedValue: TableIndex(number: rank))
    }

    private func goesBefore(_ entry: Entry, _ other: Entry, _ store: borrowing ByteStore) -> Bool {
        entry.due != other.due ? entry.due < other.due : store[entry.name].precedes(store[other.name])
    }

    /// Returns a sentence for every broken invariant, for the groups with showings and their times.
    func brokenInvariants(of times: [GroupRecord.Index: Milliseconds], _ store: borrowing ByteStore) -> [String] {
        var broken: [String] = []
        if times.count != heap.count { broken.append("\(heap.count) groups have showings, not \(times.count)") }
        for rank in heap.indices {
            if times[heap[rank].group] != heap[rank].due { broken.append("the time of a group's showings is wrong") }
            if self.rank(of: heap[rank].group) != rank { broken.append("a group with showings is not found") }
            if rank > 0, goesBefore(heap[rank], heap[(rank - 1) / 2], store) {
                broken.append("the groups with showings are out of order")
            }
        }
        if next != heap.first?.due ?? .max { broken.append("the next showing leaves its window at another time") }
        return broken
    }
}
