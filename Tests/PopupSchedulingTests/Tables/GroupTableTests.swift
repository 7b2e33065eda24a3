@testable import PopupScheduling
import Testing

/// The table of groups: names and their order, who is held, and which is removed first when there are too many.
@Suite struct GroupTableTests {
    @Test func `groups are found by name, and are in byte order of their names`() {
        var table = Table()
        let (b, a, c) = (table.add("b"), table.add("a/x"), table.add("c"))
        #expect(table.find("b") == b && table.find("a/x") == a && table.find("d") == nil)
        #expect(table.inOrder == [a, b, c])
        #expect(table.groups.inOrder([c, a, c], table.store) == [a, c])
        #expect(table.broken == [])
    }

    @Test func `a removed group is not found, and no other begins below its revision`() {
        var table = Table()
        let (a, b) = (table.add("a"), table.add("b"))
        table.groups[a].revision = 7
        table.remove(a, "a")
        #expect(table.find("a") == nil && table.inOrder == [b])
        #expect(table.groups.forgottenRevision == 7)
        table.remove(b, "b")
        #expect(table.groups.forgottenRevision == 7)
        #expect(table.broken == [])
    }

    @Test func `the group that has been idle for longest is removed first, and each is listed once`() {
        var table = Table()
        let (a, b) = (table.add("a"), table.add("b"))
        for group in [b, a, b] { table.groups.listAsIdle(group) }
        #expect(table.groups.idleCount == 2)
        #expect(table.broken == [])
        #expect(table.groups.takeIdle() == b)
        #expect(table.groups.takeIdle() == a)
        #expect(table.groups.takeIdle() == nil)
        table.groups.listAsIdle(b)
        #expect(table.groups.takeIdle() == b)
    }

    @Test func `held groups are counted until they are released`() {
        var table = Table()
        let group = table.add("a")
        table.groups[group].references = 1
        table.groups.hold(group, by: Accounts.shared)
        #expect(table.groups.heldCount == 1 && table.groups[group].account == Accounts.shared)
        #expect(table.broken == [])
        table.groups[group].references = 0
        #expect(table.broken == ["group a is idle and in use, or neither"])
        table.groups.release(group)
        #expect(table.groups.heldCount == 0 && table.groups[group].account == nil)
        #expect(table.broken == [])
    }

    /// Groups with the store of their names.
    private struct Table: ~Copyable {
        var groups = GroupTable()
        var store = ByteStore(hashSeed: 5)

        mutating func add(_ name: String) -> GroupRecord.Index {
            let bytes = Array(name.utf8)
            return bytes.withUnsafeBytes { name in
                let record = GroupRecord(name: store.store(name), policy: PolicyTable.initial, revision: 0)
                let group = groups.add(record, hash: name.hash(seed: 5))
                groups.enterInOrder(group, store)
                return group
            }
        }

        mutating func remove(_ group: GroupRecord.Index, _ name: String) {
            let bytes = Array(name.utf8)
            groups.remove(group, hash: bytes.withUnsafeBytes { $0.hash(seed: 5) }, in: store)
        }

        func find(_ name: String) -> GroupRecord.Index? {
            let bytes = Array(name.utf8)
            return bytes.withUnsafeBytes { groups.find($0, hash: $0.hash(seed: 5), in: store) }
        }

        var inOrder: [GroupRecord.Index] {
            mutating get { groups.inOrder(store) }
        }

        var broken: [String] {
            mutating get { groups.brokenInvariants(store) }
        }
    }
}
