@testable import PopupScheduling
import Testing

/// The trees of candidates, compared with an array that is sorted again for each time.
@Suite struct CandidateTreesTests {
    @Test func `a standing has the priority of a popup that ages, at any time`() {
        for aging in [1, 7, 1000] as [Milliseconds] {
            for since in [0, 3, 6, 7, 50, 999, 1000] as [Milliseconds] {
                for age in [0, 1, 6, 7, 8, 993, 5000] as [Milliseconds] {
                    let standing = Standing(priority: -3, since: since, aging: aging)
                    #expect(AgingTime(since + age, aging: aging).priority(of: standing) == -3 + age / aging)
                }
            }
        }
        #expect(AgingTime().priority(of: Standing(priority: 5)) == 5)
    }

    @Test func `the extreme priorities and times have a standing`() {
        let highest = Standing(priority: .max, since: 0, aging: 1)
        let lowest = Standing(priority: .min, since: TimeLimits.latest, aging: 1)
        let now = AgingTime(TimeLimits.latest, aging: 1)
        #expect(highest.precedes(lowest))
        #expect(now.priority(of: highest) == Int64(Int32.max) + TimeLimits.latest)
        #expect(now.priority(of: lowest) == Int64(Int32.min))
    }

    @Test func `popups of one priority are found by rank, although one of them has aged for longer`() {
        var table = Table(aging: 10)
        let late = table.add(priority: 0, since: 3, rank: 2)
        let early = table.add(priority: 0, since: 9, rank: 1)
        #expect(table.found(at: 9) == [early, late])
        #expect(table.found(at: 14) == [late, early], "its priority has risen first")
        #expect(table.found(at: 19) == [early, late])
        #expect(table.lastWaiting(at: 14) == early && table.lastWaiting(at: 19) == late)
    }

    @Test func `a search passes closed popups, lanes that are closed, and popups below the threshold`() {
        var table = Table(aging: nil)
        let high = table.add(priority: 2, since: 0, rank: 1)
        let capped = table.add(priority: 1, since: 0, rank: 2, lane: .cap(3))
        let paused = table.add(priority: 1, since: 0, rank: -1, lane: .paused)
        let low = table.add(priority: 0, since: 0, rank: 3)
        #expect(table.found(at: 0) == [high, paused, capped, low])
        #expect(table.found(at: 0, threshold: 1) == [high, paused, capped])
        #expect(table.found(at: 0, lanes: .paused) == [paused])
        #expect(table.found(at: 0, lanes: Candidate.Lanes.all.subtracting(.cap(3))) == [high, paused, low])
        table.setOpen(false, high)
        #expect(table.found(at: 0) == [paused, capped, low])
        table.setOpen(true, high)
        #expect(table.found(at: 0) == [high, paused, capped, low])
        #expect(table.lastWaiting(at: 0) == low)
    }

    @Test(arguments: [nil, 1, 10, 1000] as [Milliseconds?])
    func `all popups are found in their order while others are added, removed, opened and closed`(aging: Milliseconds?)
    {
        var random = ReferenceGenerator(seed: 5)
        var table = Table(aging: aging)
        var now: Milliseconds = 0
        for step in 1...1500 {
            now += Milliseconds(random.below(4))
            switch random.below(5) {
            case 0 where !table.entries.isEmpty:
                table.remove(table.entries[random.below(table.entries.count)].popup)
            case 1 where !table.entries.isEmpty:
                table.setOpen(random.below(2) == 0, table.entries[random.below(table.entries.count)].popup)
            default:
                let isPaused = random.below(4) == 0
                let lane: Candidate.Lanes = isPaused ? .paused : [.ordinary, .cap(0), .cap(15)][random.below(3)]
                _ = table.add(
                    priority: Int32(random.below(6)) - 2,
                    since: now - Milliseconds(random.below(min(50, Int(now) + 1))),
                    rank: Int64(isPaused ? -step : step), lane: lane)
            }
            guard step % 10 == 0 else { continue }
            let (threshold, lanes) = (
                Int64(random.below(4)) - 2, [.all, .paused, [.ordinary, .cap(15)]][random.below(3)] as Candidate.Lanes
            )
            #expect(table.found(at: now) == table.expected(at: now))
            #expect(
                table.found(at: now, threshold: threshold, lanes: lanes)
                    == table.expected(at: now, threshold: threshold, lanes: lanes))
            #expect(table.lastWaiting(at: now) == table.expectedLastWaiting(at: now))
            #expect(table.broken == [])
        }
        for entry in table.entries { table.remove(entry.popup) }
        let (isEmpty, count) = (table.trees.isEmpty(Table.group), table.trees.count)
        #expect(isEmpty && count == 0)
    }

    /// Added in the order of their weights, each popup becomes the root: all others are on one side of it.
    @Test(arguments: [true, false])
    func `a search needs no stack in a tree that is as deep as it has popups`(goesRight: Bool) {
        let count = 50_000
        let ranks = (0..<Int64(count)).map { (rank: $0, weight: Table.weight(ofRank: $0)) }
            .sorted { $0.weight < $1.weight }.map(\.rank)
        var table = Table(aging: nil)
        var popups: [PopupRecord.Index] = []
        for (place, rank) in ranks.enumerated() {
            let priority = Int32(goesRight ? place : -place)
            popups.append(table.add(priority: priority, since: 0, rank: rank, isOpen: place == 0))
        }
        #expect(table.depth(of: popups[0]) == count, "the tree is a chain")
        #expect(table.found(at: 0) == [popups[0]], "the deepest is the only one that is open")
        #expect(table.lastWaiting(at: 0) == (goesRight ? popups[0] : popups[count - 1]))
    }

    /// The tree of one group, and its popups in no order.
    private struct Table: ~Copyable {
        struct Entry {
            let popup: PopupRecord.Index
            let priority: Int32
            let since: Milliseconds
            let lane: Candidate.Lanes
            var isOpen: Bool
        }

        static let group = GroupRecord.Index(number: 3)
        let aging: Milliseconds?
        private static let seed: UInt64 = 7
        var trees = CandidateTrees(seed: seed)
        var popups = PopupTable()
        private(set) var entries: [Entry] = []

        init(aging: Milliseconds?) {
            self.aging = aging
        }

        static func weight(ofRank rank: Int64) -> UInt32 { CandidateTrees.weight(ofRank: rank, seed: seed) }

        /// The number of popups from the root of the tree to one of them.
        func depth(of popup: PopupRecord.Index) -> Int { popups[popup].candidate.map { trees.depth(of: $0) } ?? 0 }

        mutating func add(
            priority: Int32, since: Milliseconds, rank: Int64, lane: Candidate.Lanes = .ordinary, isOpen: Bool = true
        ) -> PopupRecord.Index {
            let popup = popups.add(
                .fixture(
                    idHash: CandidateTrees.weight(ofRank: rank, seed: 1), group: Self.group.number, priority: priority,
                    acceptance: 1))
            popups[popup].rank = rank
            popups[popup].phase = lane == .paused ? .paused : .waiting
            entries.append(Entry(popup: popup, priority: priority, since: since, lane: lane, isOpen: isOpen))
            trees.insert(candidate(for: entries[entries.count - 1]), &popups)
            return popup
        }

        mutating func remove(_ popup: PopupRecord.Index) {
            guard let candidate = popups[popup].candidate else { return }
            trees.remove(candidate, &popups)
            entries.removeAll { $0.popup == popup }
        }

        mutating func setOpen(_ isOpen: Bool, _ popup: PopupRecord.Index) {
            guard let candidate = popups[popup].candidate, let index = entries.firstIndex(where: { $0.popup == popup })
            else { return }
            trees.setOpen(isOpen, candidate)
            entries[index].isOpen = isOpen
        }

        private func candidate(for entry: Entry) -> Candidate {
            let standing =
                aging.map { Standing(priority: entry.priority, since: entry.since, aging: $0) }
                ?? Standing(priority: entry.priority)
            return Candidate(entry.popup, popups[entry.popup], standing, lane: entry.lane, isOpen: entry.isOpen)
        }

        private func time(_ now: Milliseconds) -> AgingTime { aging.map { AgingTime(now, aging: $0) } ?? AgingTime() }

        func found(
            at now: Milliseconds, threshold: Int64 = .min, lanes: Candidate.Lanes = .all
        ) -> [PopupRecord.Index] {
            var search = trees.search(in: Self.group, at: time(now), threshold: threshold, lanes: lanes)
            var found: [PopupRecord.Index] = []
            while let popup = search.next(in: trees) { found.append(popup) }
            return found
        }

        func lastWaiting(at now: Milliseconds) -> PopupRecord.Index? {
            trees.lastWaiting(in: Self.group, at: time(now))
        }

        func expected(
            at now: Milliseconds, threshold: Int64 = .min, lanes: Candidate.Lanes = .all
        ) -> [PopupRecord.Index] {
            sorted(at: now).filter { $0.isOpen && Int64($0.priority) >= threshold && lanes.contains($0.lane) }
                .map(\.popup)
        }

        func expectedLastWaiting(at now: Milliseconds) -> PopupRecord.Index? {
            sorted(at: now).last { $0.lane != .paused }?.popup
        }

        private func sorted(at now: Milliseconds) -> [Entry] {
            func place(_ entry: Entry) -> (Int64, Int64) {
                let age = aging.map { (now - entry.since) / $0 } ?? 0
                return (-Int64(entry.priority) - age, popups[entry.popup].rank)
            }
            return entries.sorted { place($0) < place($1) }
        }

        var broken: [String] {
            trees.brokenInvariants(of: Self.group, popups) { popup in
                candidate(for: entries.first { $0.popup == popup }!)
            }
        }
    }
}
