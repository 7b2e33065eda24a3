/// The groups in byte order of their names.
///
/// They stand in blocks, in order within each and from block to block. One is found by halving, first among the blocks,
/// then in its block, and what comes or goes moves the rest of one block.
///
/// A new group is only noted, and put in its place when the order is next asked for, or when many are noted: then each new
/// one puts two in their places. So whoever asks never waits for more than a bounded number, and one costs O(log n).
struct GroupOrder {
    /// Groups in a block at most: 2 KiB to move, and 2000 to 4000 blocks for a million groups.
    static let blockSize = 512
    /// So many new ones may be noted.
    private static let mostAdded = 1024
    /// With more new ones than one in so many of those in order, merging all of them takes less time than finding the
    /// place of each.
    private static let fewOfOrdered = 16

    /// The name of a group.
    typealias Name = (GroupRecord.Index) -> UnsafeRawBufferPointer
    private typealias Place = (block: Int, index: Int)

    /// None is empty.
    private var blocks: [[GroupRecord.Index]] = []
    private var orderedCount = 0
    private var added: [GroupRecord.Index] = []

    init() {}

    /// Groups that are in order.
    init(ordered: [GroupRecord.Index]) {
        setOrder(ordered)
    }

    mutating func insert(_ group: GroupRecord.Index, _ name: Name) {
        added.append(group)
        guard added.count > Self.mostAdded else { return }
        for _ in 0..<2 { putIn(added.removeLast(), name) }
    }

    /// Takes out a group whose name is still known: O(log n) when none is new.
    mutating func remove(_ group: GroupRecord.Index, _ name: Name) {
        arrange(name)
        let place = place(of: name(group), name)
        precondition(
            place.block < blocks.count && blocks[place.block][place.index] == group, "a group that is not in the order")
        orderedCount -= 1
        blocks[place.block].remove(at: place.index)
        let (left, next) = (blocks[place.block].count, place.block + 1)
        if left == 0 {
            blocks.remove(at: place.block)
        } else if next < blocks.count, left + blocks[next].count <= Self.blockSize / 2 {
            // What groups that went leave behind stays a few blocks.
            blocks[place.block] += blocks[next]
            blocks.remove(at: next)
        }
    }

    /// All groups in order: O(n).
    mutating func all(_ name: Name) -> [GroupRecord.Index] {
        arrange(name)
        var all: [GroupRecord.Index] = []
        all.reserveCapacity(orderedCount)
        for block in blocks { all.append(contentsOf: block) }
        return all
    }

    /// Those whose name begins with `prefix`, at most `limit`: O(log n) and what is found, when none is new.
    mutating func groups(withPrefix prefix: UnsafeRawBufferPointer, limit: Int, _ name: Name) -> [GroupRecord.Index] {
        arrange(name)
        let start = place(of: prefix, name)
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

    // MARK: - Places

    /// Where the first group is whose name is not before these bytes; behind the last block if there is none.
    private func place(of bytes: UnsafeRawBufferPointer, _ name: Name) -> Place {
        let block = blocks.firstIndex(after: { name($0[$0.count - 1]).precedes(bytes) })
        return (block, block < blocks.count ? blocks[block].firstIndex(after: { name($0).precedes(bytes) }) : 0)
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
        var (block, index) = place(of: name(group), name)
        if block == blocks.count {
            // Behind the last of all.
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

    /// Blocks with room for as many again.
    private mutating func setOrder(_ groups: [GroupRecord.Index]) {
        orderedCount = groups.count
        blocks = stride(from: 0, to: groups.count, by: Self.blockSize / 2).map { start in
            Array(groups[start..<min(start + Self.blockSize / 2, groups.count)])
        }
    }
}

extension Array {
    /// The first index whose element is not before something, when all before it are and none behind it: by halving.
    fileprivate func firstIndex(after isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
