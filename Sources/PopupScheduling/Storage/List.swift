/// A list whose members are records of one table that store their own links.
///
///     first ─▶ record ◀─▶ record ◀─▶ record ◀─ last
///
/// The operations are functions of the table. A record may be in several lists, each with links of its own, which
/// `Links` selects.
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

/// The links of one kind of list.
protocol ListLinks {
    associatedtype Member: BitwiseCopyable

    static func neighbours(of member: UnsafePointer<Member>) -> Neighbours<Member>
    static func setNeighbours(of member: UnsafeMutablePointer<Member>, to neighbours: Neighbours<Member>)
}

/// A table whose records can be members of lists.
protocol RecordTable<Record>: ~Copyable {
    associatedtype Record: BitwiseCopyable
    typealias Index = TableIndex<Record>

    /// Returns the address of a record.
    func address(of index: Index) -> UnsafePointer<Record>
    /// Returns the address of a record, for changes.
    func mutableAddress(of index: Index) -> UnsafeMutablePointer<Record>
}

extension Slab: RecordTable {}

extension RecordTable where Self: ~Copyable {
    /// Appends a record to a list. O(1).
    @inline(__always)
    mutating func append<Links: ListLinks>(_ index: Index, to list: inout List<Links>) where Links.Member == Record {
        insert(index, before: nil, in: &list)
    }

    /// Prepends a record to a list. O(1).
    @inline(__always)
    mutating func prepend<Links: ListLinks>(_ index: Index, to list: inout List<Links>) where Links.Member == Record {
        insert(index, before: list.first, in: &list)
    }

    /// Inserts a record before a member of a list, or appends it. O(1).
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

    /// Removes a member from a list. O(1).
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

    /// Returns the members of a list in its order. O(n).
    func members<Links: ListLinks>(of list: List<Links>) -> [Index] where Links.Member == Record {
        var members: [Index] = []
        var member = list.first
        while let index = member {
            members.append(index)
            member = next(after: index, Links.self)
        }
        return members
    }

    /// Returns the first member from `index` on for which `holds` is true.
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
    func setPrevious<Links: ListLinks>(
        of index: Index, to previous: Index?, _: Links.Type
    ) where Links.Member == Record {
        var neighbours = neighbours(of: index, Links.self)
        neighbours.previous = previous
        Links.setNeighbours(of: mutableAddress(of: index), to: neighbours)
    }
}
