@testable import PopupScheduling
import Testing

/// The table of popups: ids of live and closed ones, and who holds a collapse key.
@Suite struct PopupTableTests {
    @Test func `an id is that of a live popup, then of a closed one, then unknown`() {
        var table = Table()
        let popup = table.add("a")
        #expect(table.find("a") == .live(popup))
        let closed = table.close(popup, at: 5)
        #expect(table.find("a") == .closed(closed))
        #expect(table.broken == [])
        table.popups.forget(closed, &table.ends)
        #expect(table.find("a") == nil)
        #expect(table.broken == [])
    }

    @Test func `a withdrawn popup leaves nothing, and its number is reused`() {
        var table = Table()
        _ = table.add("a")
        let popup = table.add("b")
        let number = table.popups[popup].acceptance
        table.popups.withdraw(popup)
        table.popups.remove(popup)
        #expect(table.find("b") == nil)
        #expect(table.popups.nextAcceptance() == number)
        #expect(table.broken == [])
    }

    @Test(arguments: [0, 1, 2])
    func `the record of a closed popup becomes that of a newcomer, which is the last of its group`(position: Int) {
        var table = Table()
        var order = List<Acceptances>()
        var popups: [PopupRecord.Index] = []
        for id in ["a", "b", "c"] {
            popups.append(table.add(id))
            table.popups.append(popups[popups.count - 1], to: &order)
        }
        let closed = popups[position]
        _ = table.close(closed, at: 5, removing: false)
        table.replaceRecord(closed, by: "d", in: &order)
        let others = popups.filter { $0 != closed }
        let members = table.popups.members(of: order)
        #expect(members == others + [closed])
        #expect(table.find("d") == .live(closed))
        let count = table.popups.count
        #expect(count == 3 && table.broken == [])
    }

    @Test func `a popup paused later precedes those paused earlier, and all waiting ones`() {
        var popups = PopupTable()
        let waiting = Int64(popups.nextAcceptance())
        let earlier = popups.nextPausedRank()
        let later = popups.nextPausedRank()
        #expect(later < earlier && earlier < waiting)
    }

    @Test func `a key is held until it is released`() {
        var table = Table()
        let popup = table.add("a")
        table.popups.holdKey(popup, hash: 9)
        #expect(table.popups.keyHolder(9) { $0 == popup } == popup)
        #expect(table.broken == [])
        table.popups.releaseKey(popup, hash: 9)
        #expect(table.popups.keyHolder(9) { $0 == popup } == nil)
        #expect(table.broken == [])
    }

    @Test func `relation fields are created once and removed with their popup`() {
        var table = Table()
        let popup = table.add("a")
        let relations = table.popups.makeRelations(of: popup)
        #expect(table.popups.makeRelations(of: popup) == relations)
        table.popups.changeRareFields(of: popup) { $0.minimumDisplay = 3 }
        table.popups.changeRareFields(of: popup) { $0.age = 2 }
        let rare = table.popups.rareFields(of: popup)
        #expect(rare.minimumDisplay == 3 && rare.age == 2)
        #expect(table.broken == [])
        table.popups.removeRelations(of: popup)
        table.popups.removeRareFields(of: popup)
        let left = table.popups.rareFields(of: popup)
        #expect(left.isEmpty)
        #expect(table.broken == [])
    }

    /// Popups with the store of their ids.
    private struct Table: ~Copyable {
        var popups = PopupTable()
        var store = ByteStore()
        var ends = ClosedPopups.Ends()

        mutating func add(_ id: String) -> PopupRecord.Index {
            let bytes = Array(id.utf8)
            return bytes.withUnsafeBytes { id in
                let acceptance = popups.nextAcceptance()
                return popups.add(.fixture(id: store.store(id), idHash: id.hash(seed: 5), acceptance: acceptance))
            }
        }

        mutating func replaceRecord(_ popup: PopupRecord.Index, by id: String, in order: inout List<Acceptances>) {
            let bytes = Array(id.utf8)
            bytes.withUnsafeBytes { id in
                guard let vacancy = popups.vacancy(for: id, hash: id.hash(seed: 5), in: store) else {
                    preconditionFailure("a newcomer's id is not new")
                }
                let record = PopupRecord.fixture(
                    id: store.store(id), idHash: id.hash(seed: 5), acceptance: popups.nextAcceptance())
                popups.replaceRecord(popup, by: record, in: &order, at: vacancy)
            }
        }

        mutating func close(
            _ popup: PopupRecord.Index, at time: Milliseconds, removing: Bool = true
        ) -> ClosedPopups.Index {
            let record = popups[popup]
            let closed = popups.close(
                popup,
                as: ClosedPopups.Record(
                    id: record.id, idHash: record.idHash, account: record.account, group: record.group, flow: nil,
                    reason: .dismissed, detail: .empty, at: time, displayed: 0), &ends,
                content: UnsafeRawBufferPointer(start: nil, count: 0))
            if removing { popups.remove(popup) }
            return closed
        }

        func find(_ id: String) -> PopupReference? {
            let bytes = Array(id.utf8)
            return bytes.withUnsafeBytes { popups.find($0, hash: $0.hash(seed: 5), in: store) }
        }

        var broken: [String] { popups.brokenInvariants(store, keyHash: { _ in 9 }, isSameKey: { $0 == $1 }) }
    }
}
