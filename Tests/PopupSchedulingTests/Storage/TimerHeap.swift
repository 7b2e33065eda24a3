@testable import PopupScheduling

/// What a timer queue has to do, done plainly: a binary heap of all that was ever set, by due time and then by order of
/// setting. What was cancelled stays in it until it would be first.
struct TimerHeap {
    struct Entry {
        var due: Milliseconds
        var order: UInt64
        var task: TimerTask

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : order < other.order
        }
    }

    private var heap: [Entry] = []
    private(set) var set: Set<UInt64> = []

    var first: Entry? { heap.first }

    mutating func insert(_ entry: Entry) {
        set.insert(entry.order)
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, heap[place].precedes(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func cancel(_ order: UInt64) {
        set.remove(order)
        while let first, !set.contains(first.order) { removeFirst() }
    }

    mutating func takeFirst(until now: Milliseconds) -> Entry? {
        guard let first, first.due <= now else { return nil }
        cancel(first.order)
        return first
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            let children = (2 * place + 1..<2 * place + 3).filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].precedes(heap[$1]) }), heap[least].precedes(heap[place])
            else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
