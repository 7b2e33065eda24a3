/// The groups in byte order of their names.
///
/// A new group is only noted; the order is made when it is next asked for, by sorting what came since and merging it in:
/// O(k log k + n) for k new ones, and O(1) when there are none.
struct GroupOrder {
    private var ordered: [Int32] = []
    private var added: [Int32] = []

    init() {}

    /// Groups that are in order.
    init(ordered: [Int32]) {
        self.ordered = ordered
    }

    mutating func insert(_ group: Int32) {
        added.append(group)
    }

    /// Takes out a group whose name is still known: O(log n), and closing the gap behind it.
    mutating func remove(_ group: Int32, precedes: (Int32, Int32) -> Bool) {
        var low = 0
        var high = sorted(precedes: precedes).count
        while low < high {
            let middle = (low + high) / 2
            if precedes(ordered[middle], group) { low = middle + 1 } else { high = middle }
        }
        precondition(ordered[low] == group, "a group that is not in the order")
        ordered.remove(at: low)
    }

    /// All groups in order.
    mutating func sorted(precedes: (Int32, Int32) -> Bool) -> [Int32] {
        guard !added.isEmpty else { return ordered }
        added.sort(by: precedes)
        var merged: [Int32] = []
        merged.reserveCapacity(ordered.count + added.count)
        var next = added.startIndex
        for group in ordered {
            while next < added.endIndex, precedes(added[next], group) {
                merged.append(added[next])
                next += 1
            }
            merged.append(group)
        }
        merged.append(contentsOf: added[next...])
        ordered = merged
        added.removeAll(keepingCapacity: true)
        return ordered
    }
}
