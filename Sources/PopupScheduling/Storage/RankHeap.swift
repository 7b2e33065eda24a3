/// The records of the items of a `RankHeap`: they store the positions of the items, and decide which of two goes before
/// the other.
protocol RankedRecords: ~Copyable {
    associatedtype Item: BitwiseCopyable & Equatable

    /// Returns the position of an item in its heap.
    func rank(of item: Item) -> Int32
    mutating func setRank(of item: Item, to rank: Int32)
    /// Whether an item goes before another one. Of two different items, one goes before the other.
    func goesBefore(_ item: Item, _ other: Item) -> Bool
}

/// A binary heap of items whose records are in a table: no item goes before its parent.
struct RankHeap<Item: BitwiseCopyable & Equatable>: ~Copyable {
    private var items = Buffer<Item>()

    init() {}

    var count: Int { items.count }

    /// The item that goes before all others; `nil` if there is none.
    var first: Item? { items.count == 0 ? nil : items[0] }

    /// Adds an item. O(log n).
    mutating func insert<Records: RankedRecords & ~Copyable>(_ item: Item, _ records: inout Records)
    where Records.Item == Item {
        records.setRank(of: item, to: Int32(items.count))
        items.append(item)
        rise(item, &records)
    }

    /// Removes an item. O(log n).
    mutating func remove<Records: RankedRecords & ~Copyable>(_ item: Item, _ records: inout Records)
    where Records.Item == Item {
        let rank = records.rank(of: item)
        let last = items.removeLast()
        guard last != item else { return }
        put(last, at: rank, &records)
        rise(last, &records)
        sink(last, &records)
    }

    /// Moves an item up that may go before its parent. O(log n).
    mutating func rise<Records: RankedRecords & ~Copyable>(_ item: Item, _ records: inout Records)
    where Records.Item == Item {
        var rank = records.rank(of: item)
        while rank > 0 {
            let above = items[Int(rank - 1) / 2]
            guard records.goesBefore(item, above) else { break }
            put(above, at: rank, &records)
            rank = (rank - 1) / 2
        }
        put(item, at: rank, &records)
    }

    /// Moves an item down that may go behind a child. O(log n).
    mutating func sink<Records: RankedRecords & ~Copyable>(_ item: Item, _ records: inout Records)
    where Records.Item == Item {
        var rank = Int(records.rank(of: item))
        while 2 * rank + 1 < items.count {
            var below = 2 * rank + 1
            if below + 1 < items.count, records.goesBefore(items[below + 1], items[below]) { below += 1 }
            guard records.goesBefore(items[below], item) else { break }
            put(items[below], at: Int32(rank), &records)
            rank = below
        }
        put(item, at: Int32(rank), &records)
    }

    private mutating func put<Records: RankedRecords & ~Copyable>(
        _ item: Item, at rank: Int32, _ records: inout Records
    ) where Records.Item == Item {
        items[Int(rank)] = item
        records.setRank(of: item, to: rank)
    }

    /// Whether no item goes before its parent, and each is where its record says.
    func isInOrder<Records: RankedRecords & ~Copyable>(_ records: borrowing Records) -> Bool
    where Records.Item == Item {
        (0..<items.count).allSatisfy { rank in
            records.rank(of: items[rank]) == Int32(rank)
                && (rank == 0 || !records.goesBefore(items[rank], items[(rank - 1) / 2]))
        }
    }
}
