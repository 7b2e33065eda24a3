/// A list whose members are records of one table and keep their neighbours themselves.
///
///     first ─▶ record ◀─▶ record ◀─▶ record ◀─ last
///
/// The table of the records has the verbs. A record may be in several lists, each by neighbours of its own, which `Links` names.
struct List<Links: ListLinks>: BitwiseCopyable {
    @Packed fileprivate(set) var first: TableIndex<Links.Member>?
    @Packed fileprivate(set) var last: TableIndex<Links.Member>?

    init() {}

    @inline(__always)
    var isEmpty: Bool { first == nil }
}

/// The neighbours of a record in a list: eight bytes.
struct Neighbours<Member>: BitwiseCopyable {
    @Packed var previous: TableIndex<Member>?
    @Packed var next: TableIndex<Member>?

    init() {}
}

/// Where the members of a kind of lists keep their neighbours.
protocol ListLinks {
    associatedtype Member: BitwiseCopyable

    static func neighbours(of member: UnsafePointer<Member>) -> Neighbours<Member>
    static func setNeighbours(of member: UnsafeMutablePointer<Member>, to neighbours: Neighbours<Member>)
}

/// A table whose records can be members of lists.
protocol RecordTable<Record>: ~Copyable {
    associatedtype Record: BitwiseCopyable
    typealias Index = TableIndex<Record>

    /// Returns where a record stands.
    func address(of index: Index) -> UnsafePointer<Record>
    /// Returns where a record stands, for changing it.
    func mutableAddress(of index: Index) -> UnsafeMutablePointer<Record>
}

extension Slab: RecordTable {}

extension RecordTable where Self: ~Copyable {
    /// Adds a record as the last of a list. O(1).
    @inline(__always)
    mutating func append<Links: ListLinks>(_ index: Index, to list: inout List<Links>) where Links.Member == Record {
        insert(index, before: nil, in: &list)
    }

    /// Adds a record as the first of a list. O(1).
    @inline(__always)
    mutating func prepend<Links: ListLinks>(_ index: Index, to list: inout List<Links>) where Links.Member == Record {
        insert(index, before: list.first, in: &list)
    }

    /// Adds a record before a member of a list, or as the last. O(1).
    @inline(__always)
    mutating func insert<Links: ListLinks>(
        _ index: Index, before next: Index?, in list: inout List<Links>
    ) where Links.Member == Record {
        let previous = if let next { neighbours(of: next, Links.self).previous } else { list.last }
        var neighbours = Neighbours<Record>()
        neighbours.previous = previous
        neighbours.next = next
        Links.setNeighbours(of: mutableAddress(of: index), to: neighbours)
        if let previous { setNext(of: previous, to: index, Links.self) } else { list.first = index }
        if let next { setPrevious(of: next, to: index, Links.self) } else { list.last = index }
    }

    /// Takes a member out of a list. O(1).
    @inline(__always)
    mutating func remove<Links: ListLinks>(
        _ index: Index, from list: inout List<Links>
    ) where Links.Member == Record {
        let (previous, next) = (previous(before: index, Links.self), next(after: index, Links.self))
        if let previous {
            assert(self.next(after: previous, Links.self) == index, "a record that is not in the list")
            setNext(of: previous, to: next, Links.self)
        } else {
            assert(list.first == index, "a record that is not in the list")
            list.first = next
        }
        if let next { setPrevious(of: next, to: previous, Links.self) } else { list.last = previous }
    }

    @inline(__always)
    func next<Links: ListLinks>(after index: Index, _: Links.Type) -> Index? where Links.Member == Record {
        neighbours(of: index, Links.self).next
    }

    @inline(__always)
    func previous<Links: ListLinks>(before index: Index, _: Links.Type) -> Index? where Links.Member == Record {
        neighbours(of: index, Links.self).previous
    }

    /// The members of a list in its order. O(n).
    func members<Links: ListLinks>(of list: List<Links>) -> [Index] where Links.Member == Record {
        var members: [Index] = []
        var member = list.first
        while let index = member {
            members.append(index)
            member = next(after: index, Links.self)
        }
        return members
    }

    /// The first member from `index` on for which `holds` is true.
    func first<Links: ListLinks>(
        from index: Index?, _: Links.Type, where holds: (Index) -> Bool
    ) -> Index? where Links.Member == Record {
        var member = index
        while let index = member, !holds(index) { member = next(after: index, Links.self) }
        return member
    }

    @inline(__always)
    private func neighbours<Links: ListLinks>(
        of index: Index, _: Links.Type
    ) -> Neighbours<Record> where Links.Member == Record {
        Links.neighbours(of: address(of: index))
    }

    @inline(__always)
    private func setNext<Links: ListLinks>(
        of index: Index, to next: Index?, _: Links.Type
    ) where Links.Member == Record {
        var neighbours = neighbours(of: index, Links.self)
        neighbours.next = next
        Links.setNeighbours(of: mutableAddress(of: index), to: neighbours)
    }

    @inline(__always)
    private func setPrevious<Links: ListLinks>(
        of index: Index, to previous: Index?, _: Links.Type
    ) where Links.Member == Record {
        var neighbours = neighbours(of: index, Links.self)
        neighbours.previous = previous
        Links.setNeighbours(of: mutableAddress(of: index), to: neighbours)
    }
}
