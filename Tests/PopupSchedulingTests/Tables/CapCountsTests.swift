@testable import PopupScheduling
import Testing

/// The counted showings of caps, and the accounts that pay for them.
@Suite struct CapCountsTests {
    @Test func `a cap is full at its number of showings, and then remembers the latest ones`() {
        var table = Table()
        table.setCaps([Cap(most: 2, window: 100)], of: 4)
        let isFull = (1...4 as ClosedRange<Milliseconds>).map { table.count(0, of: 4, at: $0 * 10) }
        #expect(isFull == [false, true, true, true])
        #expect(table[4][0].times == [30, 40] && table[4][0].release == 130)
        #expect(table.counts.showings == 2)
        #expect(table.broken == [])
    }

    @Test func `a cap continues with the showings of the one with its key, and of two with that of its window`() {
        var table = Table()
        let ads = Array("ads".utf8)
        table.setCaps([Cap(key: ads, most: 9, window: 50), Cap(key: ads, most: 9, window: 70)], of: 4)
        for time in 1...3 as ClosedRange<Milliseconds> { _ = table.count(0, of: 4, at: time) }
        _ = table.count(1, of: 4, at: 8)
        table.setCaps(
            [Cap(key: ads, most: 5, window: 70), Cap(key: ads, most: 2, window: 10), Cap(most: 5, window: 50)], of: 4)
        #expect(table[4].map(\.times) == [[8], [2, 3], []])
        #expect(table.counts.showings == 3)
        #expect(table.broken == [])
    }

    @Test func `several caps continue with the showings of one; without space for that, the further ones are closed`() {
        for (limit, times, paid, closed) in [
            (60, [[1, 2, 3], [1, 2, 3]], 6, [false, false]), (6, [[1, 2, 3], [3]], 3, [false, true]),
        ] as [(Int, [[Milliseconds]], Int, [Bool])] {
            var table = Table()
            table.setCaps([Cap(most: 9, window: 50)], of: 4)
            for time in 1...3 as ClosedRange<Milliseconds> { _ = table.count(0, of: 4, at: time) }
            let isClosed = table.setCaps([Cap(most: 9, window: 70), Cap(most: 9, window: 90)], of: 4, limit: limit)
            #expect(isClosed == closed)
            #expect(table[4].map(\.times) == times)
            #expect(table.counts.showings == paid)
            #expect(table.broken == [])
        }
    }

    @Test func `a cap that is set again is closed if it is full, or if the former one is closed and not full`() {
        for (isSet, closed) in [(false, [false, true]), (true, [true, true])] {
            var table = Table()
            table.setCaps([Cap(most: 5, window: 100)], of: 4)
            for time in 1...3 as ClosedRange<Milliseconds> { _ = table.count(0, of: 4, at: time) }
            if isSet { table.close(0, of: 4) }
            let isClosed = table.setCaps([Cap(most: 4, window: 100), Cap(most: 3, window: 90)], of: 4)
            #expect(isClosed == closed)
        }
    }

    @Test func `showings that have left the window are removed, those of other groups are not`() {
        var table = Table()
        for group in [4, 5] {
            table.setCaps([Cap(most: 5, window: 100)], of: group)
            for time in [0, 50, 51] as [Milliseconds] { _ = table.count(0, of: group, at: time) }
        }
        let first = table.forget(in: 4, at: 150, atMost: 1)
        #expect(first == 1 && table[4][0].times == [50, 51])
        let others = [table.forget(in: 4, at: 150), table.forget(in: 4, at: 150)]
        #expect(others == [1, 0])
        #expect(table[4][0].times == [51] && table[5][0].times == [0, 50, 51])
        #expect(table.counts.showings == 4)
        table.setCaps([], of: 5)
        #expect(!table.counts.has(Table.group(5)) && table.counts.has(Table.group(4)) && table.counts.showings == 1)
        #expect(table.broken == [])
    }

    @Test func `the group in which a showing left its window first comes first, of several the first by name`() {
        var table = Table()
        for group in [5, 3, 4, 6] { table.setCaps([Cap(most: 5, window: 100), Cap(most: 5, window: 500)], of: group) }
        for (group, time) in [(6, 10), (5, 20), (4, 20), (3, 30)] as [(Int, Milliseconds)] {
            _ = table.count(1, of: group, at: 1)
            _ = table.count(0, of: group, at: time)
        }
        #expect(table.counts.firstToForget(at: 109) == nil)
        var order: [Int] = []
        while let group = table.counts.firstToForget(at: 130) {
            order.append(group.number)
            table.forget(in: group.number, at: 130)
            #expect(table.broken == [])
        }
        #expect(order == [6, 4, 5, 3])
        #expect(table.counts.showings == 4 && table.counts.firstToForget(at: 501) == Table.group(3))
    }

    @Test func `an empty cap keeps no memory`() {
        var table = Table()
        table.setCaps([Cap(most: 1000, window: 100)], of: 4)
        for time in 1...1000 as ClosedRange<Milliseconds> { _ = table.count(0, of: 4, at: time) }
        table.forget(in: 4, at: 1100)
        #expect(table[4][0].times.capacity == 0 && table[4][0].payers.capacity == 0)
    }

    // MARK: - Accounts

    @Test func `an account pays for its showings until they are forgotten, and is removed with the last one`() {
        var table = Table()
        let (one, other) = (table.account(1), table.account(2))
        table.setCaps([Cap(most: 2, window: 100)], of: 4)
        for (account, time) in [(one, 10), (other, 20), (other, 30)] as [(AccountRecord.Index, Milliseconds)] {
            _ = table.count(0, of: 4, at: time, paidBy: account)
        }
        #expect(!table.accounts.contains(one) && table.accounts[other].showings == 2)
        table.forget(in: 4, at: 120)
        #expect(table.accounts[other].showings == 1)
        table.setCaps([], of: 4)
        #expect(table.accounts.count == 0 && table.counts.showings == 0)
    }

    @Test func `without an account that pays, a showing takes the place of the oldest, and the cap is closed`() {
        var table = Table()
        let one = table.account(1)
        table.setCaps([Cap(most: 5, window: 100)], of: 4)
        let isClosed = ([(10, one), (20, one), (30, nil)] as [(Milliseconds, AccountRecord.Index?)]).map {
            table.count(0, of: 4, at: $0, paidBy: $1)
        }
        #expect(isClosed == [false, false, true])
        #expect(table[4][0].times == [20, 30] && table.accounts[one].showings == 2)
        #expect(table[4][0].release == 120)
        #expect(table.broken == [])
    }

    @Test func `a cap that remembers none remembers a showing for which no account pays`() {
        var table = Table()
        table.setCaps([Cap(most: 5, window: 100)], of: 4)
        let isClosed = [10, 20].map { table.count(0, of: 4, at: $0, paidBy: nil) }
        #expect(isClosed == [true, true])
        #expect(table[4][0].times == [20] && table.counts.showings == 0)
        #expect(table.broken == [])
    }

    @Test func `the showings and their payers are those of a plain model`() {
        var random = ReferenceGenerator(seed: 5)
        var table = Table()
        var model: [Int: (cap: Cap, showings: [(time: Milliseconds, payer: UInt64)])] = [:]
        for time in 1...3000 as ClosedRange<Milliseconds> {
            let group = random.below(8)
            switch random.below(10) {
            case 0:
                let cap = Cap(most: UInt32(1 + random.below(6)), window: UInt32(1 + random.below(300)))
                table.setCaps([cap], of: group)
                model[group] = (cap, model[group]?.showings.suffix(Int(cap.most)) ?? [])
            case 1:
                table.setCaps([], of: group)
                model[group] = nil
            case 2:
                table.forget(in: group, at: time)
                if let (cap, _) = model[group] {
                    model[group]?.showings.removeAll { $0.time + Int64(cap.window) <= time }
                }
            default:
                guard let (cap, showings) = model[group] else { continue }
                let payer = UInt64(1 + random.below(3))
                model[group]?.showings = (showings + [(time, payer)]).suffix(Int(cap.most))
                let account = table.account(payer)
                let isFull = table.count(0, of: group, at: time, paidBy: account)
                #expect(isFull == (showings.count + 1 >= cap.most))
            }
            #expect(table[group].map(\.times) == (model[group].map { [$0.showings.map { $0.time }] } ?? []))
            let all = model.values.flatMap { $0.showings }
            let payers = Set(all.map { $0.payer })
            #expect(table.counts.showings == all.count && table.accounts.count == payers.count)
            for payer in payers {
                let account = table.account(payer)
                #expect(Int(table.accounts[account].showings) == all.count { $0.payer == payer })
            }
        }
        #expect(table.broken == [])
    }

    /// Counts of groups, named by their numbers, with the accounts that pay.
    private struct Table: ~Copyable {
        var counts = CapCounts()
        var accounts = Accounts()
        private var store = ByteStore()
        private var names: [Int: ByteReference] = [:]

        static func group(_ number: Int) -> GroupRecord.Index { GroupRecord.Index(number: number) }

        subscript(group: Int) -> [CapCounts.Count] { counts[Self.group(group)] }

        var broken: [String] { counts.brokenInvariants(store) }

        mutating func account(_ number: UInt64) -> AccountRecord.Index {
            accounts.findOrMake(ProducerID(high: 0, low: number), seed: 1, limit: .max)
        }

        @discardableResult
        mutating func setCaps(_ caps: [Cap], of group: Int, limit: Int = 1000) -> [Bool] {
            let name = name(of: group)
            return counts.setCaps(caps, of: Self.group(group), named: name, limit: limit, &accounts, store)
        }

        mutating func close(_ index: Int, of group: Int) {
            counts.setTimer(TimerQueue.Index(number: 0), of: index, in: Self.group(group))
        }

        mutating func count(_ index: Int, of group: Int, at time: Milliseconds) -> Bool {
            count(index, of: group, at: time, paidBy: Accounts.shared)
        }

        mutating func count(
            _ index: Int, of group: Int, at time: Milliseconds, paidBy account: AccountRecord.Index?
        ) -> Bool {
            let name = name(of: group)
            return counts.count(
                index, of: Self.group(group), named: name, at: time, paidBy: account, &accounts, store)
        }

        @discardableResult
        mutating func forget(in group: Int, at time: Milliseconds, atMost limit: Int = .max) -> Int {
            let name = name(of: group)
            return counts.forgetShowings(
                of: Self.group(group), named: name, at: time, atMost: limit, &accounts, store)
        }

        private mutating func name(of group: Int) -> ByteReference {
            if let known = names[group] { return known }
            let name = Array("\(group)".utf8).withUnsafeBytes { store.store($0) }
            names[group] = name
            return name
        }
    }
}
