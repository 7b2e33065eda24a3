/// The number of names from which it is faster to read each name once and to sort numbers.
private let many = 1000

extension Array {
    /// Sorts indices by the bytes of their names. The eight bytes after the common prefix of all names are sorted as a
    /// number; among names with equal numbers, the next eight bytes decide, and so on. Comparing two names costs several
    /// cache misses, and each of a million names would be compared about twenty times.
    mutating func sort<Record>(byName name: (Element) -> UnsafeRawBufferPointer) where Element == TableIndex<Record> {
        guard count >= many else { return sort { name($0).precedes(name($1)) } }
        let first = name(self[0])
        let common = reduce(first.count) { Swift.min($0, first.commonPrefix(with: name($1))) }
        var ranked = map { Ranked(rank: name($0).after(common).leadingWord, index: $0) }
        ranked.sortByRank()
        ranked.withUnsafeMutableBufferPointer { $0.sortEqual(byNamesFrom: common + 8, name) }
        for (place, element) in ranked.enumerated() { self[place] = element.index }
    }
}

extension UnsafeMutableBufferPointer {
    /// Sorts elements that have equal ranks by the bytes of their names from a position on. Those before are the same.
    ///
    /// It calls itself once for each eight bytes that names have in common.
    fileprivate func sortEqual<Record>(
        byNamesFrom position: Int, _ name: (TableIndex<Record>) -> UnsafeRawBufferPointer
    ) where Element == Ranked<Record> {
        var start = startIndex
        while start < endIndex {
            let rank = self[start].rank
            let end = self[start...].firstIndex { $0.rank != rank } ?? endIndex
            if end - start > 1 {
                var equal = UnsafeMutableBufferPointer(rebasing: self[start..<end])
                var areSame = true
                for place in equal.indices {
                    let whole = name(equal[place].index)
                    let rest = whole.after(Swift.min(position, whole.count))
                    equal[place].rank = rest.leadingWord
                    if !rest.isEmpty { areSame = false }
                }
                if !areSame {
                    equal.sort { $0.rank < $1.rank }
                    equal.sortEqual(byNamesFrom: position + 8, name)
                }
            }
            start = end
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The first eight bytes as a number with the same order. Missing bytes count as 0.
    fileprivate var leadingWord: UInt64 {
        if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
        return enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset) }
    }
}
