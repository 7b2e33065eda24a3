/// The groups in byte order of their names.
///
/// They are stored in blocks, in order within each block and from block to block. A group is found by binary search,
/// first among the blocks, then in its block. Inserting or removing one moves the rest of one block.
///
/// A new group is only appended to a list. It is inserted when the order is needed, or when the list is long: then each
/// new group inserts two of the list. So the work of a single call is bounded, and a group costs O(log n). While a journal
/// is replayed, nobody waits for a single call: the list grows without limit, and is merged once.
struct GroupOrder {
    /// The maximum number of groups in a block: 2 KiB to move, and 2000 to 4000 blocks for a million groups.
    static let blockSize = 512
    /// The maximum length of the list of new groups.
    private static let maxAdded = 1024
    /// If the list is longer than the ordered groups divided by this number, merging takes less time than inserting one
    /// by one.
    private static let fewOfOrdered = 16

    /// The function that returns the name of a group.
    typealias Name = (GroupRecord.Index) -> UnsafeRawBufferPointer
    private typealias Position = (block: Int, index: Int)

    /// The blocks; none is empty.
    private var blocks: [[GroupRecord.Index]] = []
    private var orderedCount = 0
    private var added: [GroupRecord.Index] = []
    /// Whether the list of new groups has no limit.
    private var isDeferred = false

    init() {}

    /// Creates an order of groups that are already in order.
    init(ordered: [GroupRecord.Index]) {
        setOrder(ordered)
    }

    mutating func insert(_ group: GroupRecord.Index, _ name: Name) {
        added.append(group)
        guard added.count > Self.maxAdded, !isDeferred else { return }
        for _ in 0..<2 { putIn(added.removeLast(), name) }
    }

    /// Lets new groups stay in the list until the order is needed, or until `arrangeDeferred`.
    mutating func deferArranging() {
        isDeferred = true
    }

    /// Inserts the groups of the list, and limits it again. O(n log n).
    mutating func arrangeDeferred(_ name: Name) {
        isDeferred = false
        arrange(name)
    }

    /// Removes a group whose name is still stored. O(log n) if the list of new groups is empty.
    mutating func remove(_ group: GroupRecord.Index, _ name: Name) {
        arrange(name)
        let position = position(of: name(group), name)
        precondition(
            position.block < blocks.count && blocks[position.block][position.index] == group,
            "a group that is not in the order")
        orderedCount -= 1
        blocks[position.block].remove(at: position.index)
        let (left, next) = (blocks[position.block].count, position.block + 1)
        if left == 0 {
            blocks.remove(at: position.block)
        } else if next < blocks.count, left + blocks[next].count <= Self.blockSize / 2 {
            // Merging half-empty blocks keeps their number small after removals.
            blocks[position.block] += blocks[next]
            blocks.remove(at: next)
        }
    }

    /// Returns all groups in order. O(n).
    mutating func all(_ name: Name) -> [GroupRecord.Index] {
        arrange(name)
        var all: [GroupRecord.Index] = []
        all.reserveCapacity(orderedCount)
        for block in blocks { all.append(contentsOf: block) }
        return all
    }

    /// Returns at most `limit` groups whose name begins with `prefix`. O(log n) plus the number of results, if the list
    /// of new groups is empty.
    mutating func groups(withPrefix prefix: UnsafeRawBufferPointer, limit: Int, _ name: Name) -> [GroupRecord.Index] {
        arrange(name)
        return groups(from: position(of: prefix, name), withPrefix: prefix, limit: limit, name)
    }

    /// Returns at most `limit` groups whose name begins with `prefix` and comes after `last`. O(log n) plus the number
    /// of results, if the list of new groups is empty.
    mutating func groups(
        withPrefix prefix: UnsafeRawBufferPointer, after last: UnsafeRawBufferPointer, limit: Int, _ name: Name
    ) -> [GroupRecord.Index] {
        guard prefix.precedes(last) || prefix.equals(last) else {
            return groups(withPrefix: prefix, limit: limit, name)
        }
        arrange(name)
        // Names have no zero bytes: this one is the first that may follow.
        let start = (Array(last) + [0]).withUnsafeBytes { position(of: $0, name) }
        return groups(from: start, withPrefix: prefix, limit: limit, name)
    }

    private func groups(
        from start: Position, withPrefix prefix: UnsafeRawBufferPointer, limit: Int, _ name: Name
    ) -> [GroupRecord.Index] {
        var found: [GroupRecord.Index] = []
        var index = start.index
        for block in blocks[start.block...] {
            for group in block[index...] {
                guard found.count < limit, name(group).starts(withBytes: prefix) else { return found }
                found.append(group)
            }
            index = 0
        }
        return found
    }

    // MARK: - Positions

    /// Returns the position of the first group whose name does not precede the bytes; behind the last block if there is
    /// none.
    private func position(of bytes: UnsafeRawBufferPointer, _ name: Name) -> Position {
        let block = blocks.partitioningIndex { !name($0[$0.count - 1]).precedes(bytes) }
        return (block, block < blocks.count ? blocks[block].partitioningIndex { !name($0).precedes(bytes) } : 0)
    }

    private mutating func arrange(_ name: Name) {
        guard !added.isEmpty else { return }
        if added.count <= orderedCount / Self.fewOfOrdered {
            for group in added { putIn(group, name) }
        } else {
            mergeIn(name)
        }
        added.removeAll(keepingCapacity: true)
    }

    private mutating func putIn(_ group: GroupRecord.Index, _ name: Name) {
        orderedCount += 1
        guard !blocks.isEmpty else { return blocks.append([group]) }
        var (block, index) = position(of: name(group), name)
        if block == blocks.count {
            // The group follows all others.
            block -= 1
            index = blocks[block].count
        }
        blocks[block].insert(group, at: index)
        if blocks[block].count > Self.blockSize {
            let half = Self.blockSize / 2
            blocks.insert(Array(blocks[block][half...]), at: block + 1)
            blocks[block].removeSubrange(half...)
        }
    }

    private mutating func mergeIn(_ name: Name) {
        added.sort(byName: name)
        var merged: [GroupRecord.Index] = []
        merged.reserveCapacity(orderedCount + added.count)
        var next = added.startIndex
        for group in blocks.joined() {
            while next < added.endIndex, name(added[next]).precedes(name(group)) {
                merged.append(added[next])
                next += 1
            }
            merged.append(group)
        }
        merged.append(contentsOf: added[next...])
        setOrder(merged)
    }

    /// Replaces all blocks by half-full ones.
    private mutating func setOrder(_ groups: [GroupRecord.Index]) {
        orderedCount = groups.count
        blocks = stride(from: 0, to: groups.count, by: Self.blockSize / 2).map { start in
            Array(groups[start..<min(start + Self.blockSize / 2, groups.count)])
        }
    }
}
