import Testing

@testable import PopupScheduling

/// Groups with names in memory of their own, and their order.
private final class NamedGroups {
    private var order = GroupOrder()
    private var names: [GroupRecord.Index: UnsafeMutableRawBufferPointer] = [:]
    private var made = 0

    deinit {
        for name in names.values { name.deallocate() }
    }

    func add(_ name: String) -> GroupRecord.Index {
        made += 1
        let group = GroupRecord.Index(number: made)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: name.utf8.count, alignment: 1)
        memory.copyBytes(from: name.utf8)
        names[group] = memory
        order.insert(group, self.name)
        return group
    }

    func remove(_ group: GroupRecord.Index) {
        order.remove(group, name)
        names.removeValue(forKey: group)?.deallocate()
    }

    func deferArranging() { order.deferArranging() }

    func arrangeDeferred() { order.arrangeDeferred(name) }

    /// The names of all, in order.
    func all() -> [String] { order.all(name).map(text) }

    func withPrefix(_ prefix: String, limit: Int) -> [String] {
        Array(prefix.utf8).withUnsafeBytes { order.groups(withPrefix: $0, limit: limit, name) }.map(text)
    }

    /// In byte order, as the names are plain ASCII.
    func expected() -> [String] { names.keys.map(text).sorted() }

    /// The number of names that the order has looked at.
    private(set) var looks = 0

    private func name(_ group: GroupRecord.Index) -> UnsafeRawBufferPointer {
        looks += 1
        return UnsafeRawBufferPointer(names[group]!)
    }

    private func text(_ group: GroupRecord.Index) -> String { String(decoding: name(group), as: UTF8.self) }
}

@Suite("The order of groups")
struct GroupOrderTests {
    @Test("is that of their names, while groups are added and removed", arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = ReferenceGenerator(seed: seed)
        let groups = NamedGroups()
        var taken: Set<String> = []
        var living: [(group: GroupRecord.Index, name: String)] = []
        func name() -> String {
            // Few segments, so that many names begin alike and some are the beginning of others.
            (0...generator.next() % 3).map { _ in "s\(generator.next() % 30)" }.joined(separator: "/")
        }
        for round in 0..<30 {
            // Many at once, then few.
            for _ in 0..<(round % 10 == 0 ? 1200 : 5) {
                let name = name()
                if taken.insert(name).inserted { living.append((groups.add(name), name)) }
            }
            // One by one, close together.
            for _ in 0..<(round % 3 == 1 ? 120 : 0) {
                let name = "s7/\(generator.next())"
                living.append((groups.add(name), name))
                #expect(groups.withPrefix(name, limit: 2) == [name])
            }
            #expect(groups.all() == groups.expected())
            let prefix = "s\(generator.next() % 30)/"
            let below = groups.expected().filter { $0.hasPrefix(prefix) }
            #expect(groups.withPrefix(prefix, limit: .max) == below)
            #expect(groups.withPrefix(prefix, limit: 7) == Array(below.prefix(7)))
            for _ in 0..<(round % 15 == 14 ? living.count * 9 / 10 : 3) {
                let gone = living.remove(at: Int(generator.next() % UInt64(living.count)))
                groups.remove(gone.group)
                taken.remove(gone.name)
            }
            #expect(groups.all() == groups.expected())
        }
        while let last = living.popLast() { groups.remove(last.group) }
        #expect(groups.all() == [])
    }

    @Test(
        "of thousands that are new at once is found by their first differing bytes, and by the rest where these are the same"
    )
    func sorting() {
        var generator = ReferenceGenerator(seed: 7)
        let groups = NamedGroups()
        var names: Set<String> = ["store", "store/1", "store/10000000", "store/100000000", "store/1000000001"]
        while names.count < 3000 {
            names.insert("store/\(generator.next() % 100)/a-shelf-with-a-long-name/\(generator.next() % 1000)")
        }
        for name in names.sorted(by: { $0.reversed().lexicographicallyPrecedes($1.reversed()) }) {
            _ = groups.add(name)
        }
        #expect(groups.all() == groups.expected())
        #expect(groups.withPrefix("store/100", limit: .max) == groups.expected().filter { $0.hasPrefix("store/100") })
        #expect(groups.withPrefix("zebra", limit: .max) == [])
    }

    @Test("looks at no name during a replay, until the order is needed or the replay ends")
    func replay() {
        let groups = NamedGroups()
        func addMany(_ prefix: String) {
            for number in 0..<3000 { _ = groups.add("\(prefix)\(number * 7919 % 3000)") }
        }
        addMany("before/")
        groups.deferArranging()
        let before = groups.looks
        addMany("replayed/")
        #expect(groups.looks == before)
        #expect(groups.withPrefix("replayed/29", limit: 2) == ["replayed/29", "replayed/290"])
        addMany("then/")
        let last = groups.add("a")
        groups.remove(last)
        groups.arrangeDeferred()
        #expect(groups.all() == groups.expected())
        // From now on, a call does a bounded part of the work again.
        let arranged = groups.looks
        addMany("after/")
        #expect(groups.looks > arranged)
        #expect(groups.all() == groups.expected())
    }
}
