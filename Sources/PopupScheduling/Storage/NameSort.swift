/// The number of names from which it is faster to read each name once and to sort numbers.
private let many = 1000

extension Array {
    /// Sorts indices by the bytes of their names. The eight bytes after the common prefix of all names are sorted as a
    /// number, and names with equal numbers by comparison. Comparing two names costs several cache misses, and each of
    /// a million names would be compared about twenty times.
    mutating func sort<Record>(byName name: (Element) -> UnsafeRawBufferPointer) where Element == TableIndex<Record> {
        guard count >= many else { return sort { name($0).precedes(name($1)) } }
        let first = name(self[0])
        let common = reduce(first.count) { Swift.min($0, first.commonPrefix(with: name($1))) }
        var ranked = map { Ranked(rank: name($0).after(common).leadingWord, index: $0) }
        ranked.sortByRank()
        var start = 0
        while start < ranked.count {
            let rank = ranked[start].rank
            let end = ranked[start...].firstIndex { $0.rank != rank } ?? ranked.count
            if end - start > 1 { ranked[start..<end].sort { name($0.index).precedes(name($1.index)) } }
            start = end
        }
        for (place, element) in ranked.enumerated() { self[place] = element.index }
    }
}

extension UnsafeRawBufferPointer {
    /// The first eight bytes as a number with the same order. Missing bytes count as 0.
    fileprivate var leadingWord: UInt64 {
        if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
        return enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset) }
    }
}
