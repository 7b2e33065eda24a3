@testable import PopupScheduling
import Testing

/// The queues of groups as a table: the order of their popups, and their levels.
@Suite struct WaitQueuesTests {
    @Test func `a queue is ordered by descending priority, then by rank`() {
        var table = Table()
        let late = table.add(priority: 3, rank: 9)
        let early = table.add(priority: 3, rank: 4)
        let paused = table.add(priority: 3, rank: -2)
        let low = table.add(priority: -1, rank: 1)
        let high = table.add(priority: 8, rank: 20)
        #expect(table.members == [high, paused, early, late, low])
        #expect(table.broken == [])
    }

    @Test func `the search for the last popup begins at the lowest level`() {
        var table = Table()
        let waiting = table.add(priority: 3, rank: 4)
        _ = table.add(priority: 1, rank: -2)
        let ranks = { (table: borrowing Table, popup: PopupRecord.Index) in table.popups[popup].rank }
        let last = table.queues.last(of: table.queue, table.popups) { ranks(table, $0) > 0 }
        #expect(last == waiting)
        let none = table.queues.last(of: table.queue, table.popups) { ranks(table, $0) > 4 }
        #expect(none == nil)
    }

    @Test func `a popup that belongs far inside its level is not added`() {
        var table = Table()
        let near = WaitQueues.longestSearch
        for place in 1...3 * near { _ = table.add(priority: 0, rank: Int64(10 * place)) }
        let members = table.members
        _ = table.add(priority: 0, rank: Int64(15 * near + 5))
        #expect(table.members == members && table.broken == [])
        let inside = table.add(priority: 0, rank: Int64(10 * near - 5))
        #expect(table.members.firstIndex(of: inside) == near - 1 && table.broken == [])
    }

    @Test func `an emptied queue has no levels`() {
        var table = Table()
        let popups = [5, 2, 5, 9].map { table.add(priority: $0, rank: Int64($0)) }
        for popup in popups { table.remove(popup) }
        let (isEmpty, levels) = (table.queue.isEmpty, table.queues.levelCount)
        #expect(isEmpty && levels == 0)
    }

    @Test func `appending in order has the result of inserting in any order`() {
        var inserted = Table()
        var appended = Table()
        let places: [(priority: Int32, rank: Int64)] = [(9, 1), (4, -1), (4, 2), (4, 7), (0, 3)]
        for place in places.reversed() { _ = inserted.add(priority: place.priority, rank: place.rank) }
        for place in places { appended.append(priority: place.priority, rank: place.rank) }
        #expect(inserted.places == appended.places)
        #expect(appended.broken == [])
    }

    @Test func `the queue stays in order while popups of many priorities are added and removed`() {
        var random = ReferenceGenerator(seed: 11)
        var table = Table()
        var queued: [(popup: PopupRecord.Index, priority: Int32, rank: Int64)] = []
        for step in 0..<3000 {
            if random.below(3) == 0, !queued.isEmpty {
                table.remove(queued.remove(at: random.below(queued.count)).popup)
            } else {
                let (priority, rank) = (Int32(random.below(200)) - 100, Int64(random.below(2) == 0 ? step : -step))
                queued.append((table.add(priority: priority, rank: rank), priority, rank))
            }
        }
        queued.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        #expect(table.members == queued.map(\.popup))
        #expect(table.broken == [])
    }

    /// One queue with the popups that it needs.
    private struct Table: ~Copyable {
        var queues = WaitQueues(seed: 7)
        var queue = WaitQueue()
        var popups = PopupTable()

        mutating func add(priority: Int32, rank: Int64) -> PopupRecord.Index {
            let popup = waiting(priority: priority, rank: rank)
            queues.insert(popup, priority: priority, into: &queue, &popups)
            return popup
        }

        mutating func append(priority: Int32, rank: Int64) {
            let popup = waiting(priority: priority, rank: rank)
            queues.append(popup, priority: priority, to: &queue, &popups)
        }

        mutating func remove(_ popup: PopupRecord.Index) {
            queues.remove(popup, from: &queue, &popups)
        }

        var members: [PopupRecord.Index] { queues.members(of: queue, popups) }

        var places: [[Int64]] { members.map { [Int64(popups[$0].priority), popups[$0].rank] } }

        var broken: [String] {
            var levels = 0
            let broken = queues.brokenInvariants(of: queue, popups, countingLevels: &levels) { popups[$0].priority }
            return levels == queues.levelCount ? broken : broken + ["\(levels) levels of \(queues.levelCount)"]
        }

        private mutating func waiting(priority: Int32, rank: Int64) -> PopupRecord.Index {
            let popup = popups.add(.fixture(priority: priority, acceptance: 1))
            popups[popup].rank = rank
            popups[popup].phase = .waiting
            return popup
        }
    }
}
